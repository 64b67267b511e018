import { describeThrown } from "../../describe-thrown";
import { AuthenticationError } from "../../errors";
import { environmentName } from "../../rules/find-setting";
import { nameOfVoice } from "../../rules/naming";
import type { Settings } from "../../rules/settings";
import type { Service } from "../../service/connect";
import { partsOf } from "../../stacks/names";
import type { States } from "../../stacks/states";
import { EarlierRuns } from "../../voices/earlier-runs";
import { isNameOfHolder, type VoiceHolder } from "../../voices/holder";
import { SetLog } from "../../voices/set-log";
import { openAddressQuestions } from "../addresses";
import { setOrphans } from "../set-orphans";
import { journalOf, lastOperation, statesOf, withContent, withRights, withService } from "../stack";
import { kindOf } from "./change";
import type { ReviewFacts } from "./facts";
import { createsIn, doubtfulTasks, explainedLosses } from "./open-requests";
import type { Preview } from "./preview";
import { inState } from "./voices";

/** Gathers the facts of the state and the account. If the account cannot be listed, `account` has the reason. */
export async function factsOf(stack: string | undefined, settings: Settings, { steps }: Preview) {
  const namespace = settings.namespace ?? partsOf(stack ?? "").organization;
  const facts = { ...settings, namespace, ...(stack !== undefined && (await stateFacts(stack, steps, settings))) };
  // Do not report a change of `forms` in the environment: a pull request can't make it.
  const isOfEnvironment = process.env[environmentName("forms")] !== undefined;
  if (isOfEnvironment && "last" in facts && facts.last) facts.last.forms = JSON.stringify(settings.forms ?? "");
  const states = stack === undefined ? undefined : statesOf(stack);
  const addressQuestions = (await openAddressQuestions(settings, states, ["voice", "image"])).map(
    ({ question }) => question,
  );
  const [asked] = addressQuestions;
  if (asked !== undefined) return { ...facts, addressQuestions, account: { unknown: asked.uncertain } };
  return withService(settings, async (service) => {
    try {
      const ofVoices = steps.filter((step) => kindOf(step) === "voice");
      const known = inState(ofVoices, facts.held).map(({ voice }) => voice);
      const { voices: account, doubt } = await service.account.voicesBeside(known);
      const open = { doubt, doubtfulTasks: await doubtfulTasks(steps, settings, service) };
      const earlier = states && stack !== undefined ? await ofEarlierRuns(stack, states, steps, settings, service) : {};
      const fingerprint = service.voiceFingerprint();
      return { ...facts, ...open, ...earlier, account, fingerprint, todayMs: service.now() };
    } catch (error) {
      const isKeyRefused = error instanceof AuthenticationError && error.status !== undefined;
      return { ...facts, isKeyRefused, account: { unknown: describeThrown(error).message } };
    }
  });
}

/** What earlier runs left unfinished. Empty if the journal can't be read: the update reports the reason. */
async function ofEarlierRuns(
  stack: string,
  states: States,
  steps: Preview["steps"],
  settings: Settings,
  service: Service,
): Promise<Pick<ReviewFacts, "unfinished" | "deletedVoices" | "setOrphans" | "explained">> {
  try {
    const journal = journalOf(settings, service.clock, () => undefined);
    const fingerprint = () => service.voiceFingerprint();
    const earlier = new EarlierRuns({ journal, states, fingerprint, startedAtMs: service.clock.now() });
    const ofSteps = await createsIn(steps, earlier, journal, service, stack);
    const listed = await service.account.voices();
    const orphans = await setOrphans(listed, states, settings, journal).catch(() => []);
    const log = new SetLog({ journal, states, clock: service.clock });
    const explained = await explainedLosses(await states.own(), listed, journal, log).catch(() => undefined);
    return { ...ofSteps, setOrphans: orphans, explained };
  } catch {
    return {};
  }
}

async function stateFacts(stack: string, steps: Preview["steps"], settings: Settings) {
  const states = statesOf(stack);
  const ofVoices = steps.filter((step) => kindOf(step) === "voice");
  // A moved resource keeps the voice of its former stack, which may be in another project. So read all stacks if the
  // update creates voices, or if it may delete a voice whose name does not show that its resource created it.
  const mayCreate = ofVoices.some(({ op }) => /create|replace/.test(op));
  const saved = await states.own();
  const going = goingIn(ofVoices, saved.holders);
  const own = going.length > 0 ? await withContent(saved, settings) : saved;
  const held = await withRights([own]);
  const isNamed = (holder: VoiceHolder) => isNameOfHolder(holder, nameOfVoice(holder.voice), settings) === "yes";
  const named = new Set(going.length > 0 ? held.filter(isNamed).map(({ voice }) => voice) : []);
  const foreign = going.filter((voice) => !named.has(voice));
  const { holders, unread } = await states.readable(mayCreate || foreign.length > 0 ? "everywhere" : "project");
  const others = holders.filter((each) => each.stack !== stack);
  const elsewhere = new Map(others.map((each) => [each.voice, each.stack]));
  const statesKnown = unread.length === 0;
  return { held, elsewhere, statesKnown, unread, foreign, last: await lastOperation(stack) };
}

/** The voices that the update may delete: by its steps, or because an earlier update replaced them. */
function goingIn(steps: Preview["steps"], held: readonly VoiceHolder[]): string[] {
  const given = steps.filter(({ op }) => /delete|replace/.test(op)).flatMap(({ oldState }) => oldState?.id ?? []);
  return [...new Set([...given, ...held.filter(({ isOld }) => isOld).map(({ voice }) => voice)])];
}
