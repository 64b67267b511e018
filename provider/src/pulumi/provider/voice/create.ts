import { resolve } from "node:path";
import { InputError } from "../../../errors";
import { audioPlace } from "../../../rules/audio";
import { isoTime } from "../../../rules/time";
import { type CheckedVoice, hasGeneratedName, type MadeVoice, type VoiceOutputs } from "../../../rules/voice";
import type { VoiceRequest } from "../../../service/voices/client";
import { stackOfUrn } from "../../../stacks/names";
import type { Resource } from "../lifecycle";
import type { Operation } from "../operation";
import { adoptVoice, factsOfAdopted } from "./adoption";
import { existingVoice } from "./existing";
import { sendCreate } from "./send-create";

export async function createVoice(
  operation: Operation,
  inputs: CheckedVoice,
  resource: Resource,
): Promise<{ id: string; state: VoiceOutputs }> {
  const { adopt } = inputs;
  const account = operation.service.voiceFingerprint();
  if (adopt === undefined) {
    const made = await createOnce(operation, inputs, resource);
    return { id: made.voice, state: { ...inputs, ...made, adopted: false, account } };
  }
  const found = await adoptVoice(operation, adopt, inputs, resource);
  const state = { ...inputs, ...found, ...factsOfAdopted(found.voice, inputs), adopted: true, account };
  return { id: found.voice, state };
}

/**
 * Creates a voice exactly once, although the service does not support idempotency keys.
 *
 * A generated name identifies one resource with one content (rules/naming.ts). So a voice with this name that no
 * resource holds may have been created for this resource: by a killed run, or by this run if the response was lost. A
 * chosen name does not identify a resource, so only a voice that appeared after the create was sent can be the voice of
 * this resource.
 */
function createOnce(operation: Operation, inputs: CheckedVoice, resource: Resource): Promise<MadeVoice> {
  const { service, calls, billed, earlier } = operation;
  const { targetModel, preferredName } = inputs;
  // Creates with the same name run one after the other. Otherwise, after a lost response, the voice of the next create
  // could be mistaken for the lost one.
  return operation.createQueue.run(preferredName, async () => {
    const stack = stackOfUrn(resource.identity?.urn);
    const noteKey = await earlier.noteKey(inputs, stack);
    const request = await checkedRequest(operation, inputs, resource);
    // For a chosen name, read the list again: a voice that has this name must not be mistaken later for the new one.
    const listed = hasGeneratedName(inputs)
      ? await service.account.named(preferredName, targetModel)
      : await service.account.namedNow({ preferredName, targetModel, generated: false });
    const existing = await existingVoice(operation, inputs, resource, listed);
    const sentBefore = (await earlier.create(inputs, stack)) !== undefined;
    const made: MadeVoice = existing
      ? { voice: existing.voice, createdAt: existing.gmtCreate, degraded: false }
      : await billed.send(
          "voices",
          noteKey,
          (sending) => sendCreate(operation, request, inputs, { before: listed, sentBefore }, sending),
          ({ voice }) => ({ id: voice }),
        );
    if (existing) calls.claim(made.voice, inputs, resource);
    else calls.claimMade(made.voice, inputs, resource);
    if (calls.createdVoices >= manyVoices) logHowToBeFaster(operation, process.env);
    service.account.add({ voice: made.voice, targetModel, gmtCreate: made.createdAt });
    if (existing && noteKey !== undefined) await billed.foundInstead(noteKey, made.voice);
    logDegraded(operation, made);
    // An early refresh must know that the voice is new, because the list may show a new voice late.
    return { ...made, createdAt: made.createdAt ?? isoTime(service.clock.now()) };
  });
}

/** From this number of new voices on, writing the state takes most of an update's time. */
const manyVoices = 200;

/** The command `up` sets the variable, also if it keeps the checkpoints. */
function logHowToBeFaster({ log }: Operation, environment: NodeJS.ProcessEnv): void {
  if (environment.PULUMI_SKIP_CHECKPOINTS !== undefined) return;
  log.line(
    `this update has created ${manyVoices} voices. With the state in a folder or a bucket, the engine writes the whole state after ` +
      "each of them: `npx --no-install pulumi-cloudvoice up` is about five times faster (docs/performance.md)",
  );
}

function logDegraded({ log }: Operation, { voice, degraded, degradedReason }: MadeVoice): void {
  if (!degraded) return;
  const reason = degradedReason === undefined ? "" : ` (${degradedReason})`;
  log.line(
    `the voice ${voice} is degraded: the service created it, and billed it, in poorer quality${reason}. ` +
      "To improve the voice, use a better recording, which replaces the voice and is billed",
  );
}

/** The request, with the recording that `check` has read. Throws if the recording has changed since. */
async function checkedRequest(
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
