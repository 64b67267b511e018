import { resolve } from "node:path";
import { describeThrown } from "../../../describe-thrown";
import { CloudVoiceError, InputError } from "../../../errors";
import { audioPlace } from "../../../rules/audio";
import { resolveExistingVoice, takeQuestionOf } from "../../../rules/existing-voice";
import { afterFailedCreate, lookWaitsMs } from "../../../rules/lost-create";
import { voiceCarriesName } from "../../../rules/naming";
import { isoTime } from "../../../rules/time";
import { type CheckedVoice, hasGeneratedName, type VoiceOutputs } from "../../../rules/voice";
import type { ListedVoice, VoiceRequest } from "../../../service/voices/client";
import { doubtOfCreate, voiceQuestion } from "../../../rules/pay-again";
import type { Question } from "../../../rules/question";
import type { Sending } from "../../../service/billed-requests";
import type { Resource } from "../lifecycle";
import type { Operation } from "../operation";
import { stackOfUrn } from "../questions";

/** Each may have been billed if the list is late. No setting of the stack's file makes it more. */
const mostResends = 5;

export type MadeVoice = Pick<VoiceOutputs, "voice" | "createdAt" | "degraded" | "degradedReason" | "requestId">;

/**
 * Creates a voice exactly once, although the interface has no idempotency key.
 *
 * A generated name identifies one resource with one content (rules/naming.ts), so a voice of that name that no one
 * holds is the one we want: created by a run that was killed, or by this one when the response was lost. A chosen
 * name identifies nothing, so only a voice that appeared since the create was sent can be ours.
 */
export function createVoice(operation: Operation, inputs: CheckedVoice, resource: Resource): Promise<MadeVoice> {
  const { settings, service, ownership, billed, evidence, states, log, questions } = operation;
  const { targetModel, preferredName } = inputs;
  const generated = hasGeneratedName(inputs);
  const stack = stackOfUrn(resource.identity?.urn);
  const wanted = { preferredName, targetModel, generated };
  const namedNow = () => service.account.namedNow(wanted);
  // Creates of one name run in order: otherwise a lost response could be resolved with the voice of the next create.
  return operation.createQueue.run(preferredName, async () => {
    const noteKey = await evidence.unfinished.noteKey(inputs, stack);
    const request = await checkedRequest();
    // With a chosen name, a voice that was there before must not be mistaken for ours.
    const named = await (generated ? service.account.named(preferredName, targetModel) : namedNow());
    const existing = await existingVoice(named);
    if (!existing) await assertMaySend(named);
    const made = existing
      ? reuse(existing)
      : await billed.send(
          "voices",
          noteKey,
          (sending) => send(request, named, sending),
          ({ voice }) => ({ id: voice }),
        );
    if (existing) ownership.claim(made.voice, inputs, resource);
    else ownership.claimMade(made.voice, inputs, resource);
    service.account.add({ voice: made.voice, targetModel, gmtCreate: made.createdAt });
    if (existing && noteKey !== undefined) await billed.foundInstead(noteKey, made.voice);
    if (made.degraded) {
      const reason = made.degradedReason === undefined ? "" : ` (${made.degradedReason})`;
      log.line(
        `the voice ${made.voice} is degraded: the service created it, and billed it, in poorer quality${reason}. ` +
          "To improve it, use a better recording: that replaces the voice, and is billed",
      );
    }
    // A refresh that comes before the list shows the voice must know by our own clock that it is young.
    return { ...made, createdAt: made.createdAt ?? isoTime(service.clock.now()) };
  });

  /** What is sent, with the recording that `check` has seen. */
  async function checkedRequest(): Promise<VoiceRequest> {
    const { text, language, audio, audioSha256 } = inputs;
    const { secrets } = resource;
    // What is not sent, the service can't repeat.
    const secret = secrets === undefined || [...secrets].some((name) => !/^(rights|triggers|adopt)$/.test(name));
    const sent = { targetModel, preferredName, text, language, secret };
    if (!("path" in audioPlace(audio))) return { ...sent, audio: { url: audio } };
    const path = resolve(audio);
    const file = await operation.inspectAudio(path);
    if (file.state !== "audio" || file.sha256 !== audioSha256) {
      const name = secrets === undefined || secrets.has("audio") ? "the audio file" : audio;
      throw new InputError(`${name} changed after it was checked and before it was sent. Run the update again`);
    }
    return { ...sent, audio: { path, kind: file.kind, bytes: file.bytes, sha256: file.sha256 } };
  }

  /** The voice to use instead of paying for another. */
  async function existingVoice(named: ListedVoice[]): Promise<ListedVoice | undefined> {
    const late = generated ? await ownLate(named) : [];
    return (await take([...named, ...late])) ?? (await interrupted(named));
  }

  /** With `--replace`, the voice that this resource's own state names, if it is so new that the list does not show it. */
  async function ownLate(named: ListedVoice[]): Promise<ListedVoice[]> {
    const own = await states.ownEntries(resource.identity);
    for (const { voice, createdAt, isReplacedOnDemand } of own) {
      const isSame = !isReplacedOnDemand && voiceCarriesName(voice, preferredName, true);
      if (!isSame || named.some((row) => row.voice === voice) || (await operation.journal.wasDeleted(voice))) continue;
      const { found, doubt } = await evidence.look(voice, createdAt);
      if (doubt !== undefined) await evidence.askIfMissing(voice, doubt);
      if (found) return [found];
    }
    return [];
  }

  async function take(named: ListedVoice[]): Promise<ListedVoice | undefined> {
    if (named.length === 0) return undefined;
    const verdict = await judgeExisting(operation, inputs, resource, named);
    const gone = verdict.mustStay === true ? await evidence.goneAtEnd(named) : [];
    if (gone.length > 0) {
      log.line(`skips ${gone.map(({ voice }) => voice).join(", ")}: gone from the list`);
      return take(named.filter((row) => !gone.includes(row)));
    }
    const { reuse: found, lines, reject, question } = verdict;
    if (question) throw await questions.errorOf(question);
    if (reject !== undefined) throw new InputError(reject);
    lines.forEach(log.line);
    return found;
  }

  /** Looks for the voice of a create that an earlier attempt sent, until it can't appear any more. */
  async function interrupted(known: ListedVoice[]): Promise<ListedVoice | undefined> {
    const unfinished = await evidence.unfinished.find(inputs, stack);
    // A voice that the note names and that is listed belongs to another resource now.
    if (unfinished === undefined || known.some(({ voice }) => voice === unfinished.voice)) return undefined;
    // Its time-out and the settle time.
    const leftMs = unfinished.sinceMs + settings.requestTimeoutMs + settings.settleMs - service.clock.now();
    if (leftMs > 0) {
      log.once(
        "unfinished creates",
        "an earlier attempt was interrupted or got no usable response while it created voices, so they may exist. " +
          `Before they are created again, they are looked for during ${Math.ceil(leftMs / 1000)} s ` +
          "(settleSeconds, requestTimeoutSeconds)",
      );
    }
    // Even when the time is over: the list that the operation read first may be older than the voice.
    for (const waitMs of [0, ...lookWaitsMs(leftMs)]) {
      await service.clock.sleep(waitMs);
      const found = await take(await appearedSince(known));
      if (found) return found;
    }
    return undefined;
  }

  /** Asks a person before a create is sent whose earlier attempt may have been billed, and can't be shown not to be. */
  async function assertMaySend(known: ListedVoice[]): Promise<void> {
    const question = await payAgainQuestion(operation, inputs, resource, known);
    if (question) await questions.assertAccepted(question, `the voice ${preferredName} is created again`);
  }

  /** Sends the create until its outcome is known. After each lost response the list shows whether the voice exists. */
  async function send(request: VoiceRequest, known: ListedVoice[], sending: Sending): Promise<MadeVoice> {
    for (let attempt = 0; ; attempt++) {
      try {
        const { targetModel: bound, ...made } = await service.voices.create(request, sending);
        if (bound !== targetModel) log.warn(boundToAnother(made.voice, bound));
        return made;
      } catch (error) {
        const after = afterFailedCreate(error);
        const found = after && (await lookFor(known, after.lost));
        if (found) {
          log.line(
            `the response to creating ${request.preferredName} was lost, but the voice exists: ${found.voice}, ` +
              "paid once (whether it is degraded is not known)",
          );
          return reuse(found);
        }
        const doubt = after?.mayResend ? await service.account.doubtNow(wanted) : undefined;
        if (after && doubt !== undefined) throw after.lost.amend({ advice: notProven(doubt) });
        if (after?.mayResend) await sending.forget();
        // Do not resend into a full account: its error code is not in the contract.
        const full = await service.account.errorIfFull(error);
        if (full || !after?.mayResend || attempt >= Math.min(service.maxRetries, mostResends)) throw full ?? error;
      }
    }
  }

  /** Looks into the account's list for the voice of a create whose response was lost. */
  async function lookFor(known: ListedVoice[], lost: CloudVoiceError): Promise<ListedVoice | undefined> {
    let unsure: ListedVoice[] = [];
    const waitsMs = settings.settleMs > 0 ? lookWaitsMs(settings.settleMs) : [0];
    for (const [look, waitMs] of waitsMs.entries()) {
      if (look === 3) {
        log.line(
          `the response to creating ${preferredName} was lost (${lost.reason}). Its voice may appear in the account's list late, ` +
            `so it is looked for during ${settings.settleMs / 1000} s before the create is sent again`,
        );
      }
      // A run that is interrupted meanwhile says that the voice may have been billed.
      await service.clock.sleep(waitMs).catch(() => Promise.reject(lost));
      const appeared = await appearedSince(known).catch((error: unknown) => {
        throw lost.amend({ advice: `Its voice could not be looked for: ${describeThrown(error).message}` });
      });
      // The list may also show a voice late that a resource has held for a moment, or still show a deleted one.
      const made: ListedVoice[] = [];
      for (const row of appeared) if (!(await isOlder(row.voice))) made.push(row);
      const named = made.filter(({ voice }) => voiceCarriesName(voice, preferredName, generated));
      if (named.length > 1 && !generated) throw new AmbiguousVoiceError(preferredName, named, lost);
      const [youngest] = named.sort((a, b) => (b.gmtCreate ?? "").localeCompare(a.gmtCreate ?? ""));
      if (youngest !== undefined) return youngest;
      unsure = made;
    }
    if (unsure.length > 0) throw new AmbiguousVoiceError(preferredName, unsure, lost);
    return undefined;
  }

  async function appearedSince(known: ListedVoice[]): Promise<ListedVoice[]> {
    const before = new Set(known.map((row) => row.voice));
    return (await namedNow()).filter((row) => !before.has(row.voice));
  }

  /** Whether the voice is older than this create: a saved state or this operation has it, or a run deleted it. */
  async function isOlder(voice: string): Promise<boolean> {
    const holders = (await evidence.holders()) ?? [];
    const isHeld = ownership.isHeld(voice) || holders.some((holder) => holder.voice === voice);
    return isHeld || operation.journal.wasDeleted(voice);
  }
}

/**
 * What a create would do with the voices that have its name. Workaround: the engine does not tell of `replaceWith` and
 * `replacementTrigger`, with which the voice that the resource has is to be replaced, and not to be reused.
 */
export async function judgeExisting(
  operation: Operation,
  inputs: CheckedVoice,
  resource: Resource,
  found: ListedVoice[],
) {
  const { ownership, evidence, journal, states, questions } = operation;
  const generated = hasGeneratedName(inputs);
  const existing: ListedVoice[] = [];
  for (const row of found) {
    const isNamed = voiceCarriesName(row.voice, inputs.preferredName, generated);
    if (isNamed && !(await journal.wasDeleted(row.voice))) existing.push(row);
  }
  const mayTake = generated && existing.length > 0;
  const everywhere = mayTake ? await evidence.holders("everywhere") : [];
  const holders = everywhere ?? (await evidence.holders()) ?? [];
  const others = await states.beside(resource.identity, holders);
  const mine = holders.filter((holder) => !others.includes(holder));
  const toReplace = mine.filter((holder) => holder.isReplacedOnDemand && !holder.isOld);
  const free = existing.filter(({ voice }) => !toReplace.some((holder) => holder.voice === voice));
  const verdict = resolveExistingVoice(inputs.preferredName, free, {
    generated,
    holderOf: (voice) => ownership.holderBeside(voice, others, resource),
    isOwn: (voice) => ownership.isKeptForCreate(voice) || mine.some((holder) => holder.voice === voice),
    unfinished: mayTake ? await evidence.unfinished.find(inputs, stackOfUrn(resource.identity?.urn)) : undefined,
    statesKnown: everywhere !== undefined,
    isAccepted: mayTake && (await questions.isAccepted(takeQuestion(operation, resource))),
  });
  return { ...verdict, question: verdict.isQuestion && takeQuestion(operation, resource, verdict.reject) };
}

export function takeQuestion(
  { settings }: Pick<Operation, "settings">,
  { identity }: Pick<Resource, "identity">,
  why?: string,
): Question {
  return takeQuestionOf(settings.voiceBaseUrl, stackOfUrn(identity?.urn), why);
}

/**
 * The question before a create is sent again: an earlier one may have been billed, and the list does not prove that its
 * voice does not exist, or the service answered it with success. Undefined if there was none, or if it is certain.
 */
export async function payAgainQuestion(
  { evidence, service, settings }: Operation,
  inputs: CheckedVoice,
  resource: Resource,
  known: ListedVoice[],
): Promise<Question | undefined> {
  const stack = stackOfUrn(resource.identity?.urn);
  const unfinished = await evidence.unfinished.find(inputs, stack);
  // The voice that the note names belongs to another resource now.
  if (unfinished === undefined || known.some(({ voice }) => voice === unfinished.voice)) return undefined;
  const doubt = doubtOfCreate(unfinished, await service.account.doubtNow({ ...inputs, generated: true }));
  if (doubt === undefined) return undefined;
  const { preferredName: name } = inputs;
  return voiceQuestion(doubt, { name, origin: settings.voiceBaseUrl, stack, prices: settings });
}

const notProven = (doubt: string) =>
  `Its voice was not found, and the list does not prove that there is none (${doubt}), so the create was not sent again. ` +
  "The next update looks for the voice again, and asks.";

class AmbiguousVoiceError extends CloudVoiceError {
  constructor(preferredName: string, appeared: ListedVoice[], lost: CloudVoiceError) {
    const voices = appeared.map((row) => row.voice).join(", ");
    super(
      `the response to creating ${preferredName} was lost, and each of these new voices may be its own: ${voices}`,
      {
        advice: "Set adopt to the one that is yours, or leave preferredName out.",
        billed: "unknown",
        cause: lost,
      },
    );
  }
}

/** The declared model stays in the state: with the service's own, each run would replace the voice. */
export function boundToAnother(voice: string, model: string): string {
  return (
    `the service says that the voice ${voice} is bound to the model ${model}, and not to the declared one. ` +
    "Synthesis calls fail unless they name the model that the voice is bound to"
  );
}

function reuse({ voice, gmtCreate }: ListedVoice): MadeVoice {
  return { voice, createdAt: gmtCreate, degraded: false };
}
