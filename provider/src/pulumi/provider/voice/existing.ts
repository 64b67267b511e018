import { InputError } from "../../../errors";
import { voiceCarriesName } from "../../../rules/naming";
import type { Question } from "../../../rules/question";
import { longestRequestMs } from "../../../rules/upload";
import { type CheckedVoice, hasGeneratedName } from "../../../rules/voice";
import type { NamedVoices } from "../../../service/voices/account";
import type { ListedVoice } from "../../../service/voices/client";
import { lookUntilFound } from "../../../service/voices/look";
import { stackOfUrn } from "../../../stacks/names";
import { type CreateSource, factsForCreate } from "../../../voices/create-facts";
import { describeHolder } from "../../../voices/holder";
import { againQuestion, type CreateVerdict, takeQuestionOf } from "../../../voices/judge/create";
import type { Resource } from "../lifecycle";
import type { Operation } from "../operation";
import { goneAtEnd } from "./ask";

/**
 * The existing voice that a create uses instead of paying for a new voice. `listed`: the voices with the create's name.
 * If an earlier run left a create unfinished, looks for its voice until the voice can no longer appear. If the
 * unfinished create may nevertheless have made a voice (`againQuestion`), asks a person before it is sent again.
 */
export async function existingVoice(
  operation: Operation,
  inputs: CheckedVoice,
  resource: Resource,
  listed: ListedVoice[],
): Promise<ListedVoice | undefined> {
  const { earlier, settings, service, log, questions } = operation;
  const late = await ownLate(operation, inputs, resource, listed);
  const own = await reusable(operation, inputs, resource, [...listed, ...late]);
  const unfinished = own ? undefined : await earlier.create(inputs, stackOfUrn(resource.identity?.urn));
  // If the list has the voice of the unfinished create, another resource holds the voice: otherwise `own` would be this
  // voice.
  if (unfinished === undefined || listed.some(({ voice }) => voice === unfinished.id)) return own;
  const longestMs = longestRequestMs(settings.requestTimeoutMs, unfinished.bytesUnderWay);
  const forMs = unfinished.sentMs + longestMs + settings.settleMs - service.clock.now();
  if (forMs > 0) {
    log.once(
      "unfinished creates",
      "an earlier attempt was interrupted or got no usable response while it created voices, so these voices may exist. " +
        `This run first looks for them for ${Math.ceil(forMs / 1000)} s ` +
        "(set by settleSeconds and requestTimeoutSeconds, and by the size of what was sent)",
    );
  }
  const { found, doubt } = await lookForVoice(operation, inputs, { before: listed, forMs }, (appeared) =>
    reusable(operation, inputs, resource, appeared),
  );
  const last = { found: [], doubt };
  const question = found ? undefined : againQuestion(unfinished, listed, last, asked(operation, inputs, resource));
  if (question) await questions.assertAccepted(question, `the voice ${inputs.preferredName} is created again`);
  return found;
}

interface SentCreate {
  /** The voices that were listed before the create was sent. */
  before: readonly ListedVoice[];
  /** How long, from now on, the voice of the create may take to appear. */
  forMs: number;
  beforeWait?: (looks: number) => void;
}

/**
 * Looks for the voice of a create that was sent, until `choose` accepts a voice that is not in `before`, or `forMs` has
 * passed. If `choose` has accepted none, reads the list once more until it is as conclusive as possible (`certainNow`),
 * and calls `choose` again. `doubt`: why the voice may exist although it was not found.
 */
export async function lookForVoice(
  { service }: Operation,
  { preferredName, targetModel, ...others }: CheckedVoice,
  { before, forMs, beforeWait }: SentCreate,
  choose: (appeared: ListedVoice[]) => Promise<ListedVoice | undefined>,
): Promise<{ found?: ListedVoice | undefined; doubt?: string | undefined }> {
  const wanted: NamedVoices = { preferredName, targetModel, generated: hasGeneratedName(others) };
  const known = new Set(before.map(({ voice }) => voice));
  const chosen = (rows: ListedVoice[]) => choose(rows.filter(({ voice }) => !known.has(voice)));
  const found = await lookUntilFound({ clock: service.clock, forMs, beforeWait }, async () =>
    chosen(await service.account.namedNow(wanted)),
  );
  if (found !== undefined) return { found };
  const last = (await service.account.certainNow())(wanted);
  return { found: await chosen(last.found), doubt: last.doubt };
}

/** The voice among `rows` that the create uses. Throws if a person must decide, or if the create must not be sent. */
async function reusable(
  operation: Operation,
  inputs: CheckedVoice,
  resource: Resource,
  rows: ListedVoice[],
): Promise<ListedVoice | undefined> {
  const { log, questions } = operation;
  const verdict = await verdictAtCreate(operation, inputs, resource, rows);
  const gone = "mustStay" in verdict && verdict.mustStay ? await goneAtEnd(operation, rows, resource) : [];
  if (gone.length > 0) {
    log.line(`skips ${gone.map(({ voice }) => voice).join(", ")}: gone from the list`);
    const left = rows.filter((row) => !gone.includes(row));
    return reusable(operation, inputs, resource, left);
  }
  if (verdict.action === "ask") throw await questions.errorOf(verdict.question);
  if (verdict.action === "reject") throw new InputError(verdict.reason);
  verdict.lines.forEach(log.line);
  return verdict.action === "reuse" ? verdict.voice : undefined;
}

/** The voice in this resource's own state that is too new for the list. With `--replace`, a create can reuse it. */
async function ownLate(
  { facts, states, journal, missing }: Operation,
  inputs: CheckedVoice,
  { identity }: Resource,
  listed: ListedVoice[],
): Promise<ListedVoice[]> {
  const own = hasGeneratedName(inputs) ? await states.ownEntries(identity) : [];
  for (const { voice, createdAt, isReplacedOnDemand } of own) {
    const isSame = !isReplacedOnDemand && voiceCarriesName(voice, inputs.preferredName, true);
    if (!isSame || listed.some((row) => row.voice === voice) || (await journal.wasDeleted(voice))) continue;
    const { found, doubt } = await facts.look(voice, createdAt);
    if (doubt !== undefined) await missing.assertGone(voice, doubt);
    if (found) return [found];
  }
  return [];
}

type Verdict =
  | Exclude<CreateVerdict<ListedVoice>, { action: "ask" }>
  | (Extract<CreateVerdict<ListedVoice>, { action: "ask" }> & { question: Question });

/** Judges whether the create reuses one of these voices. An accepted question becomes the verdict that follows it. */
export async function verdictAtCreate(
  operation: Operation,
  inputs: CheckedVoice,
  resource: Resource,
  found: ListedVoice[],
): Promise<Verdict> {
  const { settings, questions, judge } = operation;
  const verdict = judge.create(factsForCreate(await sourceOf(operation, inputs, resource, found)));
  if (verdict.action !== "ask") return verdict;
  const stack = stackOfUrn(resource.identity?.urn);
  const question = takeQuestionOf(settings.voiceBaseUrl, stack, verdict.reason);
  return (await questions.isAccepted(question)) ? verdict.ifAccepted : { ...verdict, question };
}

async function sourceOf(
  { calls, earlier, facts, journal, states }: Operation,
  inputs: CheckedVoice,
  resource: Resource,
  found: ListedVoice[],
): Promise<CreateSource<ListedVoice>> {
  const { identity } = resource;
  const deleted = await Promise.all(found.map(({ voice }) => journal.wasDeleted(voice)));
  const listed = found.filter((_, index) => deleted[index] === false);
  const mayTake = hasGeneratedName(inputs) && listed.length > 0;
  const { holders, unread } = mayTake ? await facts.holders("everywhere") : { holders: [], unread: [] };
  const others = await states.beside(identity, holders);
  const mine = holders.filter((holder) => !others.includes(holder));
  const kept = listed.filter(({ voice }) => calls.isKeptForCreate(voice));
  return {
    ...{ inputs, listed, statesKnown: unread.length === 0 },
    // Workaround: the engine does not report `replaceWith` and `replacementTrigger`, with which the program asks for a
    // new voice.
    own: [...kept, ...mine.map((each) => ({ ...each, isGoing: each.isReplacedOnDemand && !each.isOld }))],
    holderBeside: (voice) => {
      const holder = others.find((each) => each.voice === voice);
      return holder && describeHolder(holder);
    },
    isTaken: (voice) => calls.isTakenBeside(voice, resource),
    unfinished: mayTake ? await earlier.create(inputs, stackOfUrn(identity?.urn)) : undefined,
  };
}

/** The question that the update will ask about an unfinished create, as far as the current list shows it. */
export async function questionAtCreate(
  operation: Operation,
  inputs: CheckedVoice,
  resource: Resource,
  listed: readonly ListedVoice[],
): Promise<Question | undefined> {
  const { earlier, service } = operation;
  const unfinished = await earlier.create(inputs, stackOfUrn(resource.identity?.urn));
  if (unfinished === undefined) return undefined;
  const { preferredName, targetModel } = inputs;
  const certain = await service.account.certainNow();
  const last = certain({ preferredName, targetModel, generated: true });
  return againQuestion(unfinished, listed, last, asked(operation, inputs, resource));
}

function asked({ settings }: Operation, { preferredName: name }: CheckedVoice, { identity }: Resource) {
  return { name, origin: settings.voiceBaseUrl, stack: stackOfUrn(identity?.urn), prices: settings };
}
