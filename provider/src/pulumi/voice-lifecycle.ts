import { resolve } from "node:path";
import stableStringify from "safe-stable-stringify";
import { audioPlace, looksSigned } from "../decide/audio";
import type { Identity } from "../decide/naming";
import { createdAt, createdAtOfVoice } from "../decide/time";
import {
  adoptFailure,
  type CheckedVoice,
  chooseName,
  voiceFailures,
  type VoiceInputs,
  type VoiceOutputs,
  voiceReplacements,
  voiceUpdates,
} from "../decide/voice";
import { CloudVoiceError, InputError } from "../errors";
import { inspectAudio } from "../service/audio/inspect";
import type { AudioSource } from "../service/voices/client";
import { createVoiceOnce } from "../service/voices/create-once";
import type { Lifecycle, Props } from "./dynamic-provider";
import { providerProcess, tell } from "./provider-process";
import { unknownValue } from "./unknown";

/*
 * Two copies of a resource can hold one voice: after `--replace`, where the create took the voice that was there, and after a
 * replacement that was interrupted. The delete of the old copy must then leave the voice alone, and is told nothing of the other.
 * What tells is a diff without a replacement: the resource keeps this voice. But a refresh, also the one inside a `destroy`, calls
 * diff as well. Its inputs come from the state, while those of an update come from a check in this very process.
 */
const declared = new Set<string>();

export const voiceLifecycle: Lifecycle = {
  async check(olds, { identity, ...news }, unknown) {
    const { settings } = providerProcess();
    const file = await fileOf(news.audio);
    const failures = voiceFailures(news, unknown, file, settings.extraTargetModels);
    if (failures.length > 0) return { inputs: news, failures };

    const audio = unknown.has("audio") ? undefined : file?.state === "audio" ? file.sha256 : (news.audio as string);
    const name = chooseName(news, unknown, audio, identity as Identity | undefined, olds);
    const inputs: Props = { ...news, preferredName: unknownValue, ...name };
    for (const field of unknown) if (field !== "identity") inputs[field] = unknownValue;
    if (file?.state === "audio") Object.assign(inputs, { audioSha256: file.sha256, audioSeconds: file.seconds });
    warnOfSignedUrl(news.audio);

    const adoptFault = olds.targetModel === undefined ? undefined : adoptFailure(olds, inputs, voiceReplacements(olds, inputs, unknown));
    declared.add(stableText(inputs));
    return { inputs, failures: adoptFault ? [adoptFault] : [] };
  },

  async diff(id, olds, news, unknown) {
    const replaces = voiceReplacements(olds, news, unknown);
    if (replaces.length === 0 && declared.has(stableText(news))) providerProcess().service.account.noteLive(id);
    return Promise.resolve({ replaces, updates: voiceUpdates(olds, news) });
  },

  async create(props) {
    const inputs = props as unknown as CheckedVoice;
    const { service } = providerProcess();
    const made = inputs.adopt === undefined ? await create(inputs) : await adopt(inputs.adopt, inputs);
    const outs: VoiceOutputs = { ...inputs, ...made, account: service.voiceFingerprint() };
    return { id: made.voice, outs: { ...outs } };
  },

  async update(_id, olds, news) {
    const { adopt: _adopt, ...kept } = olds;
    return Promise.resolve({ outs: { ...kept, ...news } });
  },

  async read(id, props) {
    const { service } = providerProcess();
    const found = await service.account.find(id);
    const here = service.voiceFingerprint();
    if (found) return { createdAt: createdAt(found.gmtCreate), ...props, account: here };
    if (props.account !== here) throw new OtherAccountError("is not in this account", id, props.account, here);
    tell(`the voice ${id} is gone from the account (deleted there, or unused for a year); the next update makes it again`);
    return undefined;
  },

  async delete(id, props) {
    const { service } = providerProcess();
    if (service.account.isLive(id)) {
      tell(`the voice ${id} stays: another copy of its resource holds it`);
      return;
    }
    // Noted before the answer: whatever becomes of the call, nothing may take this voice from the list any more.
    service.account.noteDeleted(id);
    const removed = await service.voices.remove(id);
    const here = service.voiceFingerprint();
    if (!removed && props.account !== here) throw new OtherAccountError("can't be deleted: it is not in this account", id, props.account, here);
  },
};

function stableText(inputs: Props): string {
  return stableStringify(inputs);
}

async function create(inputs: CheckedVoice) {
  const { service } = providerProcess();
  const { targetModel, preferredName, text, language, nameVersion } = inputs;
  const request = { targetModel, preferredName, audio: await audioSource(inputs), text, language };
  const made = await createVoiceOnce(request, nameVersion !== undefined, {
    client: service.voices,
    account: service.account,
    clock: service.clock,
    maxRetries: service.maxRetries,
    tell,
  });
  if (made.degraded) {
    tell(
      `the voice ${made.voice} is degraded: the service made it, and billed it, but in poorer quality` +
        `${made.degradedReason === undefined ? "" : ` (${made.degradedReason})`}. Better audio makes another`,
    );
  }
  const { taken: _, ...outputs } = made;
  return { ...outputs, createdAt: made.createdAt ?? createdAtOfVoice(made.voice), adopted: false };
}

async function adopt(name: string, { targetModel }: CheckedVoice) {
  const { service } = providerProcess();
  const found = await service.account.find(name);
  if (!found) throw new InputError(`adopt: the account has no voice ${name}; see what it has with \`npx cloudvoice voices\``);
  if (found.targetModel !== targetModel) {
    throw new InputError(`adopt: the voice ${name} is bound to ${found.targetModel}; declare that as targetModel, or adopt another voice`);
  }
  service.account.noteMade(found);
  return { voice: found.voice, createdAt: createdAt(found.gmtCreate), degraded: false, adopted: true };
}

async function audioSource({ audio, audioSha256 }: CheckedVoice): Promise<AudioSource> {
  const file = await fileOf(audio);
  if (file === undefined) return { url: audio };
  if (file.state !== "audio" || file.sha256 !== audioSha256) {
    throw new InputError(`${audio} changed between its check and its sending; run the update again`);
  }
  return { path: resolve(audio), kind: file.kind, bytes: file.bytes, sha256: file.sha256 };
}

/** The facts of the file that `audio` names; undefined when it names none. */
async function fileOf(audio: unknown) {
  if (typeof audio !== "string") return undefined;
  const place = audioPlace(audio);
  return "path" in place ? inspectAudio(resolve(place.path)) : undefined;
}

const warned = new Set<string>();
function warnOfSignedUrl(audio: unknown): void {
  if (typeof audio !== "string" || !/^https?:/i.test(audio) || !looksSigned(audio) || warned.has(audio)) return;
  warned.add(audio);
  const { origin, pathname } = new URL(audio);
  tell(`warning: the audio ${origin}${pathname} looks like a signed URL: it will be dead when the voice has to be made again`);
}

class OtherAccountError extends CloudVoiceError {
  constructor(what: string, id: string, then: unknown, now: string) {
    super(
      `the voice ${id} ${what}, and the state knows it from another one (${String(then)} then, ${now} now: ` +
        `${String(then).split("-")[0] === now.split("-")[0] ? "the same address, another key" : "another address"}). ` +
        "Nothing was changed. Set the key and address that the voice was made with. If the key is only a new one of the same account " +
        "and the voice was really deleted, take the resource out of the state with `pulumi state delete`",
    );
  }
}

export type { VoiceInputs };
