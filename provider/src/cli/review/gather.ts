import { describeThrown } from "../../describe-thrown";
import { AuthenticationError } from "../../errors";
import { environmentName } from "../../rules/find-setting";
import { nameOfVoice } from "../../rules/naming";
import type { Settings } from "../../rules/settings";
import { systemClock } from "../../service/clock";
import type { Service } from "../../service/connect";
import type { Journal } from "../../service/journal/journal";
import { partsOf } from "../../stacks/names";
import type { States } from "../../stacks/states";
import { EarlierRuns } from "../../voices/earlier-runs";
import { isNameOfHolder, type VoiceHolder } from "../../voices/holder";
import { openAddressQuestions } from "../addresses";
import { journalOf, lastOperation, statesOf, withContent, withRights, withService } from "../stack";
import { kindOf } from "./change";
import type { ReviewFacts } from "./facts";
import { createsIn, doubtfulTasks, explainedLosses } from "./open-requests";
import type { Preview } from "./preview";
import { inState } from "./account";

interface OwnStack {
  name: string;
  states: States;
  journal: Journal;
  /** The warnings of the journal. */
  warnings: ReadonlySet<string>;
}

/** Gathers the facts of the state and the account. If the account cannot be listed, `account` has the reason. */
export async function factsOf(stack: string | undefined, settings: Settings, preview: Preview) {
  const { steps } = preview;
  const own = stack === undefined ? undefined : ownStack(stack, settings);
  const namespace = settings.namespace ?? partsOf(stack ?? "").organization;
  const ofVoices = steps.filter((step) => kindOf(step) === "voice");
  const ofOwn = own && { unreadJournal: own.warnings, ...(await stateFacts(own, ofVoices, settings)) };
  const facts = { ...settings, namespace, ...ofOwn };
  const asked = await openAddressQuestions(settings, own?.states, ["voice", "image"]);
  const addressQuestions = asked.map(({ question }) => question);
  const [first] = addressQuestions;
  if (first !== undefined) return { ...facts, addressQuestions, account: { unknown: first.uncertain } };
  return withService(settings, async (service) => {
    try {
      const known = inState(ofVoices, facts.held).map(({ voice }) => voice);
      const { voices: account, doubt } = await service.account.voicesBeside(known);
      const open = { doubt, doubtfulTasks: await doubtfulTasks(steps, settings, service) };
      const earlier = own && (await ofEarlierRuns(own, preview, service));
      const fingerprint = service.voiceFingerprint();
      return { ...facts, ...open, ...earlier, account, fingerprint, todayMs: service.now() };
    } catch (error) {
      const isKeyRefused = error instanceof AuthenticationError && error.status !== undefined;
      return { ...facts, isKeyRefused, account: { unknown: describeThrown(error).message } };
    }
  });
}

function ownStack(name: string, settings: Settings): OwnStack {
  const warnings = new Set<string>();
  const journal = journalOf(settings, systemClock, (line) => warnings.add(line));
  return { name, states: statesOf(name), journal, warnings };
}

/** What earlier runs left unfinished, as far as the journal can be read. */
export async function ofEarlierRuns(
  { name, states, journal }: Omit<OwnStack, "warnings">,
  { steps }: Preview,
  service: Service,
): Promise<Pick<ReviewFacts, "unfinished" | "deletedVoices" | "explained">> {
  const { account, clock } = service;
  const fingerprint = () => service.voiceFingerprint();
  const earlier = new EarlierRuns({ journal, states, fingerprint, startedAtMs: clock.now() });
  const ofSteps = await createsIn(steps, earlier, journal, service, name);
  return { ...ofSteps, explained: await explainedLosses(await states.own(), await account.voices(), journal) };
}

async function stateFacts({ name, states }: OwnStack, ofVoices: Preview["steps"], settings: Settings) {
  const saved = await states.own();
  const going = goingIn(ofVoices, saved.holders);
  const own = going.length > 0 ? await withContent(saved, settings) : saved;
  const held = await withRights([own]);
  const isNamed = (holder: VoiceHolder) => isNameOfHolder(holder, nameOfVoice(holder.voice), settings) === "yes";
  const named = new Set(going.length > 0 ? held.filter(isNamed).map(({ voice }) => voice) : []);
  const foreign = going.filter((voice) => !named.has(voice));
  // A moved resource keeps the voice of its former stack, which may be in another project. So read all stacks if the
  // update creates voices, or if it may delete a voice whose name does not show that its resource created it.
  const mayCreate = ofVoices.some(({ op }) => /create|replace/.test(op));
  const { holders, unread } = await states.readable(mayCreate || foreign.length > 0 ? "everywhere" : "project");
  const others = holders.filter((each) => each.stack !== name);
  const elsewhere = new Map(others.map((each) => [each.voice, each.stack]));
  const last = await lastOperation(name);
  // Do not report a change of `forms` in the environment: a pull request can't make it.
  if (last && process.env[environmentName("forms")] !== undefined) last.forms = JSON.stringify(settings.forms ?? "");
  return { held, elsewhere, statesKnown: unread.length === 0, unread, foreign, last };
}

/** The voices that the update may delete: by its steps, or because an earlier update replaced them. */
function goingIn(steps: Preview["steps"], held: readonly VoiceHolder[]): string[] {
  const given = steps.filter(({ op }) => /delete|replace/.test(op)).flatMap(({ oldState }) => oldState?.id ?? []);
  return [...new Set([...given, ...held.filter(({ isOld }) => isOld).map(({ voice }) => voice)])];
}
