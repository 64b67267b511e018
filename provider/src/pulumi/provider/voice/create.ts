import { resolve } from "node:path";
import { InputError } from "../../../errors";
import { audioPlace } from "../../../rules/audio";
import { voiceCarriesName } from "../../../rules/naming";
import { isoTime } from "../../../rules/time";
import { type CheckedVoice, hasGeneratedName, type MadeVoice } from "../../../rules/voice";
import type { ListedVoice, VoiceRequest } from "../../../service/voices/client";
import { lookUntilFound } from "../../../service/voices/look";
import { stackOfUrn } from "../../../stacks/names";
import type { UnfinishedCreate } from "../../../voices/judge/create";
import type { Resource } from "../lifecycle";
import type { Operation } from "../operation";
import { goneAtEnd } from "./ask";
import { ofEarlierCreate, verdictAtCreate } from "./existing";
import { sendCreate } from "./send-create";

/**
 * Creates a voice exactly once, although the interface has no idempotency key.
 *
 * A generated name identifies one resource with one content (rules/naming.ts), so a voice of that name that no one
 * holds is the one we want: created by a run that was killed, or by this one when the response was lost. A chosen
 * name identifies nothing, so only a voice that appeared since the create was sent can be ours.
 */
export function createVoice(operation: Operation, inputs: CheckedVoice, resource: Resource): Promise<MadeVoice> {
  const { service, calls, billed, facts, log, questions } = operation;
  const { targetModel, preferredName } = inputs;
  const wanted = { preferredName, targetModel, generated: hasGeneratedName(inputs) };
  // Creates of one name run in order: otherwise a lost response could be resolved with the voice of the next create.
  return operation.createQueue.run(preferredName, async () => {
    const noteKey = await facts.unfinished.noteKey(inputs, stackOfUrn(resource.identity?.urn));
    const request = await checkedRequest();
    // With a chosen name, a voice that was there before must not be mistaken for ours.
    const named = wanted.generated
      ? await service.account.named(preferredName, targetModel)
      : await service.account.namedNow(wanted);
    const own = await reusable([...named, ...(await ownLate(named))]);
    const existing = own ?? (await ofEarlierAttempt(named));
    const made: MadeVoice = existing
      ? { voice: existing.voice, createdAt: existing.gmtCreate, degraded: false }
      : await billed.send(
          "voices",
          noteKey,
          (sending) => sendCreate(operation, request, wanted, named, sending),
          ({ voice }) => ({ id: voice }),
        );
    if (existing) calls.claim(made.voice, inputs, resource);
    else calls.claimMade(made.voice, inputs, resource);
    service.account.add({ voice: made.voice, targetModel, gmtCreate: made.createdAt });
    if (existing && noteKey !== undefined) await billed.foundInstead(noteKey, made.voice);
    if (made.degraded) {
      const reason = made.degradedReason === undefined ? "" : ` (${made.degradedReason})`;
      log.line(
        `the voice ${made.voice} is degraded: the service created it, and billed it, in poorer quality${reason}. ` +
          "To improve it, use a better recording: that replaces the voice, and is billed",
      );
    }
    // The list may show the voice late. Record our own time, so that a refresh before then knows that the voice is
    // young.
    return { ...made, createdAt: made.createdAt ?? isoTime(service.clock.now()) };
  });

  /** The request, with the recording that `check` has read. */
  async function checkedRequest(): Promise<VoiceRequest> {
    const { audio, audioSha256 } = inputs;
    const { secrets } = resource;
    // These inputs are not sent, so the service can't repeat them.
    const secret = secrets === undefined || [...secrets].some((name) => !/^(rights|triggers|adopt)$/.test(name));
    if (!("path" in audioPlace(audio))) return { ...inputs, secret, audio: { url: audio } };
    const path = resolve(audio);
    const file = await operation.inspectAudio(path);
    if (file.state !== "audio" || file.sha256 !== audioSha256) {
      const name = secrets === undefined || secrets.has("audio") ? "the audio file" : audio;
      throw new InputError(`${name} changed after it was checked and before it was sent. Run the update again`);
    }
    return { ...inputs, secret, audio: { path, kind: file.kind, bytes: file.bytes, sha256: file.sha256 } };
  }

  /** Which of the voices to use instead of paying for another. */
  async function reusable(found: ListedVoice[]): Promise<ListedVoice | undefined> {
    const verdict = await verdictAtCreate(operation, inputs, resource, found);
    const gone = "mustStay" in verdict && verdict.mustStay ? await goneAtEnd(operation, found, resource) : [];
    if (gone.length > 0) {
      log.line(`skips ${gone.map(({ voice }) => voice).join(", ")}: gone from the list`);
      return reusable(found.filter((row) => !gone.includes(row)));
    }
    if (verdict.question) throw await questions.errorOf(verdict.question);
    if (verdict.action === "reject") throw new InputError(verdict.reason);
    verdict.lines.forEach(log.line);
    return verdict.action === "reuse" ? verdict.voice : undefined;
  }

  /** With `--replace`: the voice in this resource's own state, which may be too new for the list. */
  async function ownLate(named: ListedVoice[]): Promise<ListedVoice[]> {
    const own = wanted.generated ? await operation.states.ownEntries(resource.identity) : [];
    for (const { voice, createdAt, isReplacedOnDemand } of own) {
      const isSame = !isReplacedOnDemand && voiceCarriesName(voice, preferredName, true);
      if (!isSame || named.some((row) => row.voice === voice) || (await operation.journal.wasDeleted(voice))) continue;
      const { found, doubt } = await facts.look(voice, createdAt);
      if (doubt !== undefined) await operation.missing.assertGone(voice, doubt);
      if (found) return [found];
    }
    return [];
  }

  /**
   * The voice of a create that an earlier attempt sent. Looks for it until it can no longer appear. Without it, asks
   * before the create is sent again, if the list does not prove that it does not exist, or if the service answered with
   * success.
   */
  async function ofEarlierAttempt(known: ListedVoice[]): Promise<ListedVoice | undefined> {
    const unfinished = await facts.unfinished.find(inputs, stackOfUrn(resource.identity?.urn));
    if (unfinished === undefined) return undefined;
    const before = new Set(known.map(({ voice }) => voice));
    const reusableOf = (rows: ListedVoice[]) => reusable(rows.filter(({ voice }) => !before.has(voice)));
    // A voice that the note names and that is listed belongs to another resource now.
    const isKnown = unfinished.voice !== undefined && before.has(unfinished.voice);
    const found = isKnown ? undefined : await lookForIt(unfinished, reusableOf);
    if (found) return found;
    const { appeared, question } = await ofEarlierCreate(operation, inputs, resource, known, unfinished);
    const late = isKnown ? undefined : await reusable(appeared);
    if (!late && question) await questions.assertAccepted(question, `the voice ${preferredName} is created again`);
    return late;
  }

  async function lookForIt(
    { sinceMs }: UnfinishedCreate,
    reusableOf: (rows: ListedVoice[]) => Promise<ListedVoice | undefined>,
  ): Promise<ListedVoice | undefined> {
    const { requestTimeoutMs, settleMs } = operation.settings;
    const forMs = sinceMs + requestTimeoutMs + settleMs - service.clock.now();
    if (forMs > 0) {
      log.once(
        "unfinished creates",
        "an earlier attempt was interrupted or got no usable response while it created voices, so they may exist. " +
          `Before they are created again, they are looked for during ${Math.ceil(forMs / 1000)} s ` +
          "(settleSeconds, requestTimeoutSeconds)",
      );
    }
    return lookUntilFound({ clock: service.clock, forMs }, async () =>
      reusableOf(await service.account.namedNow(wanted)),
    );
  }
}
