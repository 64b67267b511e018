import { InputError, RejectedError } from "../../../errors";
import { changedInputs, type CheckFailure, checkFailure } from "../../../rules/inputs";
import { chooseName } from "../../../rules/naming";
import { createdAt } from "../../../rules/time";
import { unknownValue } from "../../../rules/unknown";
import { type CheckedVoice, hasGeneratedName, type VoiceOutputs } from "../../../rules/voice";
import {
  adoptedReplacementProblem,
  checkVoiceInputs,
  voiceInputs,
  voiceReplacements,
} from "../../../rules/voice-inputs";
import type { ResourceIdentity } from "../../shared/identity";
import { ignoresEverything, withRecording } from "../ignored-changes";
import type { Lifecycle, Props } from "../lifecycle";
import type { Operation } from "../operation";
import { failureWithoutSecrets } from "../secret-inputs";
import { adoptionProblem, adoptVoice, asDeclared, factsOfAdopted, importVoice } from "./adoption";
import { assertReplaceable, isSameAccount, OtherAccountError } from "./other-account";
import { audioFile, createVoice, warnOfSignedUrl } from "./create";
import { findLate, forgetCreate, noteDeleted, savedHolders } from "./existing";
import { sharedByState } from "./ownership";
import { noRoomProblem } from "./quota";

export function voiceLifecycle(operation: Operation): Lifecycle {
  const { settings, service, log, quota, ownership, secrets, states } = operation;

  return {
    async check(olds, { identity: given, secretInputs, ...passed }, unresolved) {
      if (ignoresEverything(olds, given, unresolved)) {
        ownership.declare(passed, { urn: undefined, protect: true });
        return { inputs: passed, failures: [] };
      }
      const identity = given as ResourceIdentity | undefined;
      const { news, unknown, keepsRecording } = withRecording(olds, passed, unresolved, identity);
      const file = keepsRecording ? undefined : await audioFile(operation, news.audio);
      const problems = checkVoiceInputs(news, unknown, { audio: file, extraTargetModels: settings.extraTargetModels });
      const passedSecrets = secrets.declare(news, secretInputs);
      const withoutSecrets = (failure: CheckFailure, input: string) =>
        failureWithoutSecrets(failure, input, passedSecrets);
      if (problems.length > 0)
        return { inputs: news, failures: problems.map((each) => withoutSecrets(checkFailure(each), each.input)) };

      const inputs: Props = { ...news, preferredName: unknownValue };
      const content = unknown.has("audio") ? undefined : file?.state === "audio" ? file.sha256 : String(news.audio);
      Object.assign(inputs, chooseName(news, unknown, content, identity, olds, passedSecrets, settings.apiKey));
      for (const name of unknown) if (name !== "identity") inputs[name] = unknownValue;
      if (file?.state === "audio") Object.assign(inputs, { audioSha256: file.sha256, audioSeconds: file.seconds });
      if (file?.state === "audio" && file.seconds === undefined) {
        const name = passedSecrets.has("audio") ? "the audio file" : String(news.audio);
        log.warn(`the length of ${name} can't be measured; the service takes 10 to 20 seconds`);
      }
      secrets.declare(inputs, secretInputs);
      if (!passedSecrets.has("audio")) warnOfSignedUrl(operation, news.audio);
      states.learnStack(identity);
      ownership.declare(inputs, { urn: identity?.urn, protect: identity?.protect === true });
      // The engine passes no old inputs for a create, and for the second check of a replacement.
      const isCreate = Object.keys(olds).length === 0;
      const failures = isCreate
        ? await checkCreate(inputs, unknown, identity)
        : checkChange(olds, inputs, unknown, identity);
      return { inputs, failures: failures.map((failure) => withoutSecrets(failure, failure.property)) };
    },

    async diff(id, olds, news, unknown) {
      const replaces = voiceReplacements(asDeclared(olds), news, unknown);
      if (replaces.length > 0) await assertReplaceable(operation, id, olds);
      else {
        const decision = ownership.onKeep(id, news);
        if (decision.action === "reject") throw new InputError(decision.reason);
        if (decision.action === "replace") {
          log.line(decision.reason);
          return { replaces: ["preferredName"], updates: false };
        }
        // The state has the resource, so the journal need not remember it.
        await forgetCreate(operation, olds, id);
      }
      return { replaces, updates: changedInputs(voiceInputs, "updates", olds, news, unknown).length > 0 };
    },

    async create(props) {
      const inputs = props as unknown as CheckedVoice;
      const made =
        inputs.adopt === undefined
          ? await createVoice(operation, inputs)
          : await adoptVoice(operation, inputs.adopt, inputs);
      const outs: VoiceOutputs = { ...inputs, ...made, account: service.voiceFingerprint() };
      return { id: made.voice, outs: { ...outs } };
    },

    /** Only free inputs changed: the voice stays as it is. */
    update(_id, olds, news) {
      const {
        voice,
        createdAt: at,
        degraded,
        degradedReason,
        adopted,
        requestId,
        account,
      } = olds as unknown as VoiceOutputs;
      const outs = { ...news, voice, createdAt: at, degraded, degradedReason, adopted, requestId, account };
      const truth = olds.adoptedWith === undefined ? {} : factsOfAdopted(voice, news);
      return Promise.resolve({ outs: { ...outs, ...truth } });
    },

    async read(id, props) {
      const isReadAgain = ownership.recordRead(id);
      const found = (await service.account.find(id)) ?? (await findLate(operation, id, props.createdAt));
      const account = service.voiceFingerprint();
      if (found) {
        const shared = isReadAgain ? sharedByState(id, (await savedHolders(operation)) ?? []) : undefined;
        if (shared !== undefined) throw new InputError(shared);
        await reportDuplicates(id, props);
        return { createdAt: createdAt(found.gmtCreate), ...props, account };
      }
      if (!(await isSameAccount(operation, props)))
        throw new OtherAccountError("is not in this account", id, props.account, account);
      log.line(
        `the voice ${id} no longer exists: it was deleted outside Pulumi, or not used for a year. ` +
          "The next update creates it again",
      );
      await forgetCreate(operation, props, id);
      return undefined;
    },

    async delete(id, props) {
      const rule = { takeOver: settings.takeOver, nowMs: service.clock.now() };
      // If the states can't be read, a delete goes on, with a warning, and a create takes over nothing by age. A
      // delete that stopped would stop each `destroy`, and the voice is the one that this resource's state names.
      const decision = ownership.onDelete(id, props, await savedHolders(operation), rule);
      if (decision.action === "reject") throw new InputError(decision.reason);
      ownership.release(id);
      if (decision.action === "keep") {
        if (decision.reason === undefined) keepForCreate(id, props);
        else log.line(decision.reason);
        return;
      }
      // Before the response: whatever becomes of the call, no create may reuse this voice from the list.
      service.account.remove(id);
      // After a kill of the engine alone, the next run may have given the voice to another resource. So each attempt
      // asks whether the engine is there.
      const removed = await service.voices.remove(id, operation.assertEngineAlive).catch(async (error: unknown) => {
        // The service does not promise how it refuses to delete an absent voice, so the list decides.
        if (error instanceof RejectedError && !(await isListed(id, props))) return false;
        throw error;
      });
      const account = service.voiceFingerprint();
      if (!removed && !(await isSameAccount(operation, props))) {
        throw new OtherAccountError("can't be deleted: it is not in this account", id, props.account, account);
      }
      await noteDeleted(operation, props, id);
    },

    import: (id) => importVoice(operation, id),

    claimImport: (id) => ownership.claim(id, {}, undefined),
  };

  async function isListed(voice: string, { createdAt: at }: Props): Promise<boolean> {
    return (await service.account.isListedNow(voice)) || (await findLate(operation, voice, at)) !== undefined;
  }

  /** The create that follows finds the voice by its name, although the list may not show it yet. */
  function keepForCreate(voice: string, { targetModel, createdAt: at }: Props): void {
    // The line names the voice in case the run is killed before that create, and the program drops the resource.
    log.line(`the voice ${voice} is kept for the create that follows, which reuses it`);
    service.account.add({
      voice,
      targetModel: String(targetModel),
      gmtCreate: typeof at === "string" ? at : undefined,
    });
  }

  async function checkCreate(inputs: Props, unknown: ReadonlySet<string>, identity: ResourceIdentity | undefined) {
    const problem = unknown.has("adopt") ? undefined : await adoptionProblem(operation, inputs);
    if (problem !== undefined) return [{ property: "adopt", reason: problem }];
    ownership.expectCreate(inputs, identity?.urn);
    await states.interruptedCreates();
    const noRoom = await noRoomProblem(operation, inputs, identity);
    return noRoom === undefined ? [] : [{ property: "", reason: noRoom }];
  }

  function checkChange(
    olds: Props,
    inputs: Props,
    unknown: ReadonlySet<string>,
    identity: ResourceIdentity | undefined,
  ) {
    if (identity?.deleteBeforeReplace) for (const plan of Object.values(quota)) plan.freesFirst(identity.urn);
    const replaces = voiceReplacements(olds, inputs, unknown);
    if (inputs.adopt !== undefined && inputs.adopt !== olds.adopt && replaces.length === 0) {
      log.line(
        `adopt${secrets.of(inputs).has("adopt") ? "" : `: ${JSON.stringify(inputs.adopt)}`} changes nothing: ` +
          "it is read when a resource is created, and this one has its voice",
      );
    }
    // A value that is not known yet may turn out unchanged, so the update decides about it.
    const known = replaces.filter((name) => !unknown.has(name));
    const reason = adoptedReplacementProblem(olds, inputs, known);
    return reason === undefined ? [] : [{ property: "adopt", reason }];
  }

  /** Reports a second voice under a generated name: the service ended its create after the run was killed. */
  async function reportDuplicates(id: string, props: Props): Promise<void> {
    if (!hasGeneratedName(props)) return;
    for (const { voice } of await service.account.named(String(props.preferredName), String(props.targetModel))) {
      if (voice === id) continue;
      log.line(
        `the account has a second voice with the name of ${id}: ${voice}. Unless another resource holds it, ` +
          "a run that was killed left it; `npx pulumi-cloudvoice voices --orphans` lists and deletes such voices",
      );
    }
  }
}
