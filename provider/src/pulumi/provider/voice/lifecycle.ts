import { resolve } from "node:path";
import { audioPlace, looksSigned } from "../../../rules/audio";
import { describeHolders } from "../../../rules/quota";
import { changedFields, failuresOf } from "../../../rules/fields";
import { resolveExistingVoice } from "../../../rules/existing-voice";
import { createdAt, createdAtOfVoice } from "../../../rules/time";
import {
  adoptFailure,
  type CheckedVoice,
  chooseName,
  voiceFields,
  type VoiceOutputs,
  voiceReplacements,
} from "../../../rules/voice";
import { CloudVoiceError, InputError, QuotaError, RejectedError } from "../../../errors";
import { inspectAudio } from "../../../service/audio/inspect";
import type { AudioSource } from "../../../service/voices/client";
import { createVoiceOnce } from "../../../service/voices/create-once";
import type { Lifecycle, Props } from "../adapter";
import { assertEngineAlive } from "../engine-alive";
import { holdings } from "./ownership";
import type { VoiceIdentity } from "../../program/identity";
import { wasUntargeted } from "../../shared/untargeted";
import { providerProcess } from "../operation";
import { log } from "../log";
import { adopt, adoptFaultOf, sharedAdoption } from "./adoption";
import { quotaFaultWith } from "./quota";
import { unknownValue } from "../../../rules/unknown";

export const voiceLifecycle: Lifecycle = {
  async check(olds, { identity, ...news }, unknown) {
    const { settings } = providerProcess();
    const where = identity as VoiceIdentity | undefined;
    const keptAudio = where?.ignoreAudio === true && olds.audio !== undefined ? olds : undefined;
    const file = keptAudio ? undefined : await fileOf(news.audio);
    const failures = failuresOf(voiceFields, news, unknown, {
      audio: file,
      extraTargetModels: settings.extraTargetModels,
    });
    if (failures.length > 0) return { inputs: news, failures };

    const audio = unknown.has("audio") ? undefined : file?.state === "audio" ? file.sha256 : (news.audio as string);
    const name = chooseName(news, unknown, audio, where, olds);
    const inputs: Props = { ...news, preferredName: unknownValue, ...name };
    for (const field of unknown) if (field !== "identity") inputs[field] = unknownValue;
    if (file?.state === "audio") Object.assign(inputs, { audioSha256: file.sha256, audioSeconds: file.seconds });
    if (keptAudio)
      Object.assign(inputs, { audio: olds.audio, audioSha256: olds.audioSha256, audioSeconds: olds.audioSeconds });
    warnOfSignedUrl(news.audio);

    holdings.noteDeclared(inputs);
    if (Object.keys(olds).length > 0) {
      if (where?.deleteBeforeReplace) providerProcess().quota.freesFirst(where.urn);
      const replaces = voiceReplacements(olds, inputs, unknown);
      if (inputs.adopt !== undefined && inputs.adopt !== olds.adopt && replaces.length === 0) {
        log(
          `adopt: ${JSON.stringify(news.adopt)} changes nothing: it is read when a resource is created, and this one has its voice`,
        );
      }
      // What is not known yet may turn out to be what it was: the update judges it.
      const adoptFault = adoptFailure(
        olds,
        inputs,
        replaces.filter((field) => !unknown.has(field)),
      );
      return { inputs, failures: adoptFault ? [adoptFault] : [] };
    }
    const adoptFault = unknown.has("adopt") ? undefined : await adoptFaultOf(inputs);
    if (adoptFault !== undefined) return { inputs, failures: [{ property: "adopt", reason: adoptFault }] };
    holdings.noteCreateToCome(inputs);
    // Without old inputs it is a creation, or the second check of a replacement: a voice more.
    const fault = await quotaFaultWith(inputs, where);
    return { inputs, failures: fault === undefined ? [] : [{ property: "", reason: fault }] };
  },

  async diff(id, olds, news, unknown) {
    const replaces = voiceReplacements(olds, news, unknown);
    if (replaces.length > 0) await refuseOtherAccount(id, olds);
    else if (holdings.isDeclared(news)) {
      const { account } = providerProcess().service;
      if (holdings.willBeAdopted(id)) throw new InputError(sharedAdoption(id));
      if (account.isMadeHere(id)) {
        // A resource that was renamed, and a new one under its old name, which came first and found its own name in the account.
        log(
          `the voice ${id} went to the new resource of the name that it was made under; this one gets a voice of its own`,
        );
        return { replaces: ["preferredName"], updates: false };
      }
      account.noteLive(id);
    }
    return { replaces, updates: changedFields(voiceFields, "updates", olds, news, unknown).length > 0 };
  },

  async create(props) {
    const inputs = props as unknown as CheckedVoice;
    const { service } = providerProcess();
    const made = inputs.adopt === undefined ? await create(inputs) : await adopt(inputs.adopt, inputs);
    const outs: VoiceOutputs = { ...inputs, ...made, account: service.voiceFingerprint() };
    return { id: made.voice, outs: { ...outs } };
  },

  async update(_id, olds, news) {
    const {
      voice,
      createdAt: at,
      degraded,
      degradedReason,
      adopted,
      requestId,
      account,
    } = olds as Props & VoiceOutputs;
    return Promise.resolve({
      outs: { ...news, voice, createdAt: at, degraded, degradedReason, adopted, requestId, account },
    });
  },

  async read(id, props) {
    const { service } = providerProcess();
    const found = await service.account.find(id);
    const here = service.voiceFingerprint();
    if (found) {
      await tellOfStrays(id, props);
      return { createdAt: createdAt(found.gmtCreate), ...props, account: here };
    }
    if (props.account !== here) throw new OtherAccountError("is not in this account", id, props.account, here);
    log(
      `the voice ${id} is gone from the account (deleted there, or unused for a year); the next update makes it again`,
    );
    return undefined;
  },

  async delete(id, props) {
    const { service } = providerProcess();
    if (service.account.isLive(id) || holdings.willBeAdopted(id) || wasUntargeted(id)) {
      log(`the voice ${id} stays: another copy of its resource holds it`);
      return;
    }
    if (holdings.willBeTaken(props)) {
      const verdict = resolveExistingVoice(
        String(props.preferredName),
        true,
        [{ voice: id, gmtCreate: String(props.createdAt) }],
        service.clock.now(),
      );
      if (verdict.reject !== undefined) throw new InputError(verdict.reject);
      return;
    }
    // Noted before the answer: whatever becomes of the call, nothing may take this voice from the list any more.
    service.account.noteDeleted(id);
    const removed = await service.voices.remove(id).catch(async (error: unknown) => {
      // How the service refuses to delete what is gone is not promised; its list tells.
      if (error instanceof RejectedError && !(await service.account.isListedNow(id))) return false;
      throw error;
    });
    const here = service.voiceFingerprint();
    if (!removed && props.account !== here)
      throw new OtherAccountError("can't be deleted: it is not in this account", id, props.account, here);
  },
};

/** Before a successor is paid for: the old voice must be one that can be deleted with this key. */
async function refuseOtherAccount(id: string, { account }: Props): Promise<void> {
  const { service } = providerProcess();
  let here: string;
  let found: unknown;
  try {
    here = service.voiceFingerprint();
    found = account === here || (await service.account.find(id));
  } catch {
    // Without a key or a service a preview goes on; an update will say so itself.
    return;
  }
  if (!found) throw new OtherAccountError("can't be replaced: it is not in this account", id, account, here);
}

/** A second voice under a generated name of ours: left by a create that the service ended after its run was killed. */
async function tellOfStrays(id: string, { preferredName, targetModel, nameVersion }: Props): Promise<void> {
  if (nameVersion === undefined) return;
  for (const { voice } of await providerProcess().service.account.named(String(preferredName), String(targetModel))) {
    if (voice !== id)
      log(
        `the account has a second voice under the name of ${id}: ${voice}. Unless another resource holds it, a run that was killed left it; \`npx cloudvoice voices --strays\` shows and deletes such voices`,
      );
  }
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
    beforeSend: assertEngineAlive,
    log,
  }).catch((error: unknown) => withHolders(error));
  if (made.degraded) {
    log(
      `the voice ${made.voice} is degraded: the service made it, and billed it, but in poorer quality` +
        `${made.degradedReason === undefined ? "" : ` (${made.degradedReason})`}. Better audio makes another`,
    );
  }
  const { taken: _, ...outputs } = made;
  return { ...outputs, createdAt: made.createdAt ?? createdAtOfVoice(made.voice), adopted: false };
}

/** A full account says who fills it. */
async function withHolders(error: unknown): Promise<never> {
  if (!(error instanceof QuotaError)) throw error;
  const voices = await providerProcess()
    .service.account.voicesNow()
    .catch(() => []);
  if (voices.length > 0)
    error.amend({ advice: `It holds ${voices.length} voices: ${describeHolders(voices)}. ${error.advice ?? ""}` });
  throw error;
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

function warnOfSignedUrl(audio: unknown): void {
  if (typeof audio !== "string" || !/^https?:/i.test(audio) || !looksSigned(audio)) return;
  const { origin, pathname } = new URL(audio);
  log(
    `warning: the audio ${origin}${pathname} looks like a signed URL: it will be dead when the voice has to be made again`,
  );
}

class OtherAccountError extends CloudVoiceError {
  constructor(what: string, id: string, then: unknown, now: string) {
    super(
      `the voice ${id} ${what}, and the state knows it from another one (${String(then)} then, ${now} now: ` +
        `${String(then).split("-")[0] === now.split("-")[0] ? "the same address, another key" : "another address"}). ` +
        "It was left as it is. Set the key and address that the voice was made with. If the key is only a new one of the same account " +
        "and the voice was really deleted, take the resource out of the state with `pulumi state delete`",
    );
  }
}
