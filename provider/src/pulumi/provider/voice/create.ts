import { resolve } from "node:path";
import { CloudVoiceError, InputError, QuotaError } from "../../../errors";
import { audioPlace, looksSigned } from "../../../rules/audio";
import { describeHolders } from "../../../rules/quota";
import { createdAtOfVoice } from "../../../rules/time";
import { type CheckedVoice, hasGeneratedName } from "../../../rules/voice";
import type { AudioSource, ListedVoice } from "../../../service/voices/client";
import { createVoiceOnce } from "../../../service/voices/create-once";
import type { Operation } from "../operation";
import { existedBefore, forgetCreate, resolveExisting, splitReplaced, unfinishedSince, voiceKey } from "./existing";

/** Creates the voice, or finds the one that an interrupted run paid for. */
export async function createVoice(operation: Operation, inputs: CheckedVoice) {
  const { service, settings, ownership, createQueue, journal, log } = operation;
  const { targetModel, preferredName, text, language } = inputs;
  const generated = hasGeneratedName(inputs);
  const audio = await audioSource(operation, inputs);
  const secret = operation.secrets.of({ ...inputs }).size > 0;
  const urn = ownership.urnOf({ ...inputs });
  const take = async (named: ListedVoice[]) => {
    const { reuse, lines, reject } = await resolveExisting(operation, inputs, urn, named);
    lines.forEach(log.line);
    if (reject !== undefined) throw new InputError(reject);
    return reuse;
  };
  let sentAtMs: number | undefined;
  const made = await createVoiceOnce({ targetModel, preferredName, audio, text, language, secret }, generated, {
    client: service.voices,
    account: service.account,
    clock: service.clock,
    maxRetries: service.maxRetries,
    settleMs: settings.settleMs,
    queue: createQueue,
    resolve: async (named) => take((await splitReplaced(operation, inputs, urn, named)).others),
    resolveReplaced: async (named) => take((await splitReplaced(operation, inputs, urn, named)).replaced),
    unfinishedUntilMs: (seen) => unfinishedUntil(operation, inputs, seen),
    existedBefore: (voice) => existedBefore(operation, voice),
    claim: (voice) => ownership.claim(voice, { ...inputs }, urn),
    async beforeSend() {
      await operation.assertEngineAlive();
      sentAtMs = service.clock.now();
      if (generated) await journal.write(voiceKey(operation, inputs), { sentAtMs });
    },
    onNotDone: () => forgetCreate(operation, inputs),
    log: log.line,
  }).catch(async (error: unknown) => {
    // This run's request was refused, so the next run need not look for its voice. A note of an earlier run stays.
    const wasSent = sentAtMs !== undefined;
    if (wasSent && CloudVoiceError.is(error) && error.billed === "no") await forgetCreate(operation, inputs);
    return addHolders(operation, error);
  });
  if (generated) {
    // The note of an interrupted run, whose voice this create took over, gets the voice too.
    const key = voiceKey(operation, inputs);
    sentAtMs ??= (await journal.find(key))?.sentAtMs;
    if (sentAtMs !== undefined) await journal.write(key, { sentAtMs, id: made.voice });
  }
  if (made.degraded) {
    const reason = made.degradedReason === undefined ? "" : ` (${made.degradedReason})`;
    log.line(
      `the voice ${made.voice} is degraded: the service created it, and billed it, in poorer quality${reason}. ` +
        "To improve it, use a better recording: that replaces the voice, and is billed",
    );
  }
  const { reused: _, ...outputs } = made;
  return { ...outputs, createdAt: made.createdAt ?? createdAtOfVoice(made.voice), adopted: false };
}

/** Until when the voice of an interrupted create may appear: the time it was sent, the time-out and the settle time. */
async function unfinishedUntil(
  operation: Operation,
  inputs: CheckedVoice,
  seen: ListedVoice[],
): Promise<number | undefined> {
  const { settings, service, log } = operation;
  const since = await unfinishedSince(operation, inputs, seen);
  if (since === undefined) return undefined;
  const untilMs = since + settings.requestTimeoutMs + settings.settleMs;
  const leftMs = untilMs - service.clock.now();
  if (leftMs > 0) {
    log.once(
      "unfinished creates",
      "an earlier run was interrupted while it created voices, and whether the service did so is not known. " +
        `Before they are created again, they are looked for during ${Math.ceil(leftMs / 1000)} s ` +
        "(settleSeconds, requestTimeoutSeconds)",
    );
  }
  return untilMs;
}

/** If the account is full, the error also names what fills it. */
async function addHolders({ service }: Operation, error: unknown): Promise<never> {
  if (!(error instanceof QuotaError)) throw error;
  const voices = await service.account.voicesNow().catch(() => []);
  if (voices.length === 0) throw error;
  throw error.amend({
    advice: `It holds ${voices.length} voices: ${describeHolders(voices)}. ${error.advice ?? ""}`.trim(),
  });
}

async function audioSource(operation: Operation, checked: CheckedVoice): Promise<AudioSource> {
  const { audio, audioSha256 } = checked;
  const file = await audioFile(operation, audio);
  if (file === undefined) return { url: audio };
  if (file.state !== "audio" || file.sha256 !== audioSha256) {
    const name = operation.secrets.of({ ...checked }).has("audio") ? "the audio file" : audio;
    throw new InputError(`${name} changed after it was checked and before it was sent. Run the update again`);
  }
  return { path: resolve(audio), kind: file.kind, bytes: file.bytes, sha256: file.sha256 };
}

/** The facts of the file that `audio` names; undefined for a URL. */
export async function audioFile({ inspectAudio }: Operation, audio: unknown) {
  if (typeof audio !== "string") return undefined;
  const place = audioPlace(audio);
  return "path" in place ? inspectAudio(resolve(place.path)) : undefined;
}

export function warnOfSignedUrl({ log }: Operation, audio: unknown): void {
  if (typeof audio !== "string" || !/^https?:/i.test(audio) || !looksSigned(audio)) return;
  const { origin, pathname } = new URL(audio);
  log.warn(
    `the audio URL ${origin}${pathname} looks signed: it will have expired when the voice has to be created again`,
  );
}
