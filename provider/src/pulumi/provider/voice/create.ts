import { resolve } from "node:path";
import { InputError, QuotaError } from "../../../errors";
import { audioPlace, looksSigned } from "../../../rules/audio";
import { describeHolders } from "../../../rules/quota";
import { createdAtOfVoice } from "../../../rules/time";
import { type CheckedVoice, hasGeneratedName } from "../../../rules/voice";
import type { AudioSource } from "../../../service/voices/client";
import { createVoiceOnce } from "../../../service/voices/create-once";
import type { Operation } from "../operation";

/** Creates the voice, or finds the one that an interrupted run paid for. */
export async function createVoice(operation: Operation, inputs: CheckedVoice) {
  const { service, ownership, createQueue, assertEngineAlive, log } = operation;
  const { targetModel, preferredName, text, language } = inputs;
  const audio = await audioSource(operation, inputs);
  const secret = operation.secrets.of({ ...inputs }).size > 0;
  const made = await createVoiceOnce(
    { targetModel, preferredName, audio, text, language, secret },
    hasGeneratedName(inputs),
    {
      client: service.voices,
      account: service.account,
      clock: service.clock,
      maxRetries: service.maxRetries,
      queue: createQueue,
      ownership,
      beforeSend: assertEngineAlive,
      log: log.line,
    },
  ).catch((error: unknown) => addHolders(operation, error));
  if (made.degraded) {
    log.line(
      `the voice ${made.voice} is degraded: the service created it, and billed it, in poorer quality` +
        `${made.degradedReason === undefined ? "" : ` (${made.degradedReason})`}. Better audio creates another`,
    );
  }
  const { reused: _, ...outputs } = made;
  return { ...outputs, createdAt: made.createdAt ?? createdAtOfVoice(made.voice), adopted: false };
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
