import { resolve } from "node:path";
import { InputError } from "../../errors";
import { audioPlace } from "../../rules/audio";
import type { CheckedVoice } from "../../rules/voice";
import type { Resource } from "../lifecycle";
import type { Operation } from "../operation";
import type { VoiceRequest } from "../../service/voices/client";

/** The request, with the recording that `check` has read. Throws if the recording has changed since. */
export async function checkedRequest(
  operation: Operation,
  inputs: CheckedVoice,
  { secrets }: Resource,
): Promise<VoiceRequest> {
  const { audio, audioSha256 } = inputs;
  // `rights`, `triggers` and `adopt` are not sent, so the service can't quote them in a message.
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
