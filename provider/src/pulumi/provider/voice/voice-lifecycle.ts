import { InputError } from "../../../errors";
import { audioWarning, looksSigned, uncheckedRecordings } from "../../../rules/audio";
import { checkFailure, type InputProblem, problemsWith } from "../../../rules/inputs";
import { chooseName } from "../../../rules/naming";
import { withoutSignature } from "../../../rules/public-url";
import { rightsProblem } from "../../../rules/rights";
import { unknownValue } from "../../../rules/unknown";
import {
  asDeclared,
  type CheckedVoice,
  hasGeneratedName,
  type VoiceOutputs,
  adoptedReplacementProblem,
  voiceReplacements,
  voiceUpdates,
} from "../../../rules/voice";
import { checkVoiceInputs, voiceInputs } from "../../../rules/voice-inputs";
import { removeVoice } from "../../../service/voices/remove";
import type { VoiceHolder } from "../../../voices/holder";
import { unusableLine } from "../../../voices/judge/create";
import { skippedDelete } from "../../../voices/judge/delete";
import { sharedByState } from "../../../voices/judge/keep";
import { type Lifecycle, type Resource, withOutputsOf } from "../lifecycle";
import type { Operation } from "../operation";
import { recordingOf } from "../recording";
import { assertAccountOfStack, assertReplaceable, assertSameAccount, isGoneOrAccepted } from "./ask";
import { previewedAdoption, adoptVoice, factsOfAdopted, holderProblem, importVoice } from "./adoption";
import { createVoice } from "./create";
import { noRoomProblem } from "./quota-check";
import { boundToAnother } from "./send-create";
import { missingMoves } from "./unmoved";

const moreRights = ". `npx --no-install pulumi-cloudvoice voices --rights` lists all voices without rights";

export function voiceLifecycle(operation: Operation): Lifecycle<CheckedVoice, VoiceOutputs> {
  const { settings, service, log, quota, calls, facts, states, journal, judge } = operation;
  const warnOfMissingMove = missingMoves(operation);

  return {
    async check(passed, olds, resource, unresolved) {
      const { options, identity, secrets } = resource;
      const failuresOf = (problems: InputProblem[]) => problems.map((problem) => checkFailure(problem, secrets));
      if (options.ignoresEverything) {
        calls.declare(resource);
        return { inputs: passed, failures: failuresOf(checkRights(passed, resource, unresolved)) };
      }
      const { news, unknown } = options.keepsRecording
        ? withRecordingOf(olds ?? {}, passed, unresolved)
        : { news: passed, unknown: unresolved };
      const isChecked = !options.keepsRecording && !process.env[uncheckedRecordings];
      const file = isChecked ? await recordingOf(operation, news.audio) : undefined;
      const problems = checkVoiceInputs(news, unknown, { audio: file, extraTargetModels: settings.extraTargetModels });
      if (problems.length > 0) return { inputs: news, failures: failuresOf(problems) };

      const isAudioSecret = secrets?.has("audio") !== false;
      const content = unknown.has("audio") ? undefined : file?.state === "audio" ? file.sha256 : String(news.audio);
      const { apiKey } = settings;
      const named = options.isEntry && hasGeneratedName(olds ?? {}) ? undefined : olds;
      const namingIdentity = operation.namingIdentity(identity);
      const naming = { unknown, audio: content, identity: namingIdentity, olds: named, secrets, apiKey };
      const name = chooseName(news, naming);
      const inputs: Partial<CheckedVoice> = { ...news, ...(name ?? { preferredName: unknownValue }) };
      if (file?.state === "audio") {
        inputs.audioSha256 = file.sha256;
        if (file.seconds !== undefined) inputs.audioSeconds = file.seconds;
        const shownName = isAudioSecret ? "the audio file" : String(news.audio);
        const warning = audioWarning(file);
        if (warning !== undefined) log.warn(`${shownName} ${warning}`);
      }
      if (!isAudioSecret) warnOfSignedUrl(news.audio);
      states.learnStack(identity);
      calls.declare(resource);
      // The engine passes no old inputs for a create, and for the second check of a replacement.
      const inContext = olds
        ? checkChange(olds, inputs, resource, unknown)
        : await checkCreate(inputs, resource, unknown);
      return { inputs, failures: failuresOf([...inContext, ...checkRights(news, resource, unknown)]) };
    },

    async diff(id, olds, news, resource, unknown) {
      const replaces = voiceReplacements(asDeclared(olds), news, unknown);
      if (replaces.length > 0) {
        await assertReplaceable(operation, id, olds, resource);
        if (resource.options.deleteBeforeReplace) calls.expectDelete(id, resource);
        return { replaces, updates: false };
      }
      if (calls.isDeclared(resource)) {
        const holders = await facts.holdersOf(id);
        const others = await states.beside(resource.identity, holders);
        const verdict = judge.keep(id, { resource, calls: calls.on(id), holders, others });
        if (verdict.action === "reject") throw new InputError(verdict.reason);
        if (verdict.action === "replace") {
          log.line(verdict.reason);
          return { replaces: ["preferredName"], updates: false };
        }
        calls.keep(id, resource);
        warnOfSkippedDelete(id, holders);
      }
      // The state has the voice, so remove the note. Do not await this: the engine calls `diff` for one voice after the
      // other. A note that stays does no harm: the next run finds the same voice by the note as by the voice's name.
      void journal.forgetId(id);
      return { replaces, updates: voiceUpdates(olds, news, unknown).length > 0 };
    },

    async create(inputs, resource) {
      const { adopt } = inputs;
      const account = service.voiceFingerprint();
      if (adopt === undefined) {
        const made = await createVoice(operation, inputs, resource);
        return { id: made.voice, state: { ...inputs, ...made, adopted: false, account } };
      }
      const found = await adoptVoice(operation, adopt, inputs, resource);
      const state = { ...inputs, ...found, ...factsOfAdopted(found.voice, inputs), adopted: true, account };
      return { id: found.voice, state };
    },

    /** Only inputs whose change is free have changed: the voice stays as it is. */
    update(id, olds, news) {
      const state = withOutputsOf(voiceInputs, olds, news);
      return Promise.resolve(olds.adoptedWith === undefined ? state : { ...state, ...factsOfAdopted(id, news) });
    },

    async read(id, state) {
      const holding = facts.holdersOf(id); // Reads the states while the account is listed.
      const { found, doubt } = await facts.look(id, state.createdAt);
      if (found === undefined) {
        await assertSameAccount(operation, "is not in this account", id, state);
        await operation.missing.assertGone(id, doubt);
        log.line(
          `the voice ${id} no longer exists: it was deleted outside Pulumi, or not used for a year. ` +
            "The next update creates it again",
        );
        await journal.forgetId(id);
        quota.leave(id);
        return undefined;
      }
      operation.missing.recordFound();
      const holders = await holding;
      const shared = sharedByState(id, holders);
      warnOfSkippedDelete(id, holders);
      if (shared !== undefined) throw new InputError(shared);
      if (found.targetModel !== "" && found.targetModel !== state.targetModel)
        log.warn(boundToAnother(id, found.targetModel));
      if (found.unusable !== undefined) log.warn(unusableLine(id, found.unusable));
      await reportDuplicates(id, state);
      return { createdAt: found.gmtCreate, ...state, voice: id, account: service.voiceFingerprint() };
    },

    async delete(id, state, resource) {
      const isNamedFor = (await facts.isNamedFor(id, state, resource)) === "yes";
      const { holders, unread } = await states.readable(
        isNamedFor && !calls.expectsReuse(state) ? "project" : "everywhere",
      );
      // With unreadable states, a voice with the resource's own name is deleted all the same. Otherwise each `destroy`
      // would stop.
      if (isNamedFor && unread.length > 0) facts.warnOfUnread(unread);
      const entries = await states.heldNow(id, holders).catch(() => states.holding(id, holders));
      const own = await states.own().catch(() => undefined);
      const isAllRead = unread.length === 0;
      const isReused = isAllRead && calls.expectsReuseOf(state, entries, own?.stack);
      const others = calls.release(id, resource.label, entries);
      const about = { label: resource.label, state, calls: calls.on(id), isNamedFor, entries, isAllRead, others };
      let verdict = judge.delete(id, { ...about, isReused });
      if (verdict.action === "ask") {
        await operation.deletes.assertAllowed(id, unread, resource);
        verdict = judge.delete(id, { ...about, isReused, isAllRead: true });
      }
      if (verdict.action === "keep") return log.line(verdict.reason);
      // A voice that was deleted outside Pulumi can't be kept for a create.
      const isKept = verdict.action === "keep for a create";
      if (isKept && !(await facts.isGone(id, state.createdAt).catch(() => false))) return keepForCreate(id, state);
      if (verdict.action === "reject") throw new InputError(verdict.reason);
      // Before the delete is sent: whatever its outcome, no create may reuse this voice from the list.
      service.account.remove(id);
      // If only the engine was killed, the next run may have given the voice to another resource. So each attempt first
      // checks that the engine is alive.
      const removed = await removeVoice(service, id, {
        settleMs: settings.settleMs,
        beforeSend: operation.assertEngineAlive,
        isGone: () => isGoneOrAccepted(operation, id, state, resource),
      });
      if (!removed)
        await assertSameAccount(operation, "can't be deleted: it is not in this account", id, state, resource);
      await journal.noteDeleted(id);
    },

    import: (id) => importVoice(operation, id),

    async claimImport(id, resource) {
      const problem = await holderProblem(operation, id, resource);
      if (problem !== undefined) throw new InputError(problem);
      calls.claim(id, {}, resource);
    },
  };

  function warnOfSignedUrl(audio: unknown): void {
    if (typeof audio !== "string" || !/^https?:/i.test(audio) || !looksSigned(audio)) return;
    const { origin, pathname } = new URL(audio);
    log.warn(
      `the audio URL ${origin}${pathname} looks signed: it will have expired when the voice has to be created again` +
        (withoutSignature(audio) === audio ? "" : ". Its signature is left out when it is compared and named"),
    );
  }

  /** Each operation checks the current date: rights expire without a change of the program. */
  function checkRights(
    { rights }: Partial<CheckedVoice>,
    { name, secrets }: Resource,
    unknown: ReadonlySet<string>,
  ): InputProblem[] {
    const { requireRights } = settings;
    if (unknown.has("rights") || (rights === undefined && requireRights === "off")) return [];
    const problem = rightsProblem(rights, service.clock.now(), secrets?.has("rights") !== false);
    if (problem === undefined) return [];
    if (requireRights === "error") return problemsWith("", `the voice ${problem} (cloudvoice:requireRights is error)`);
    // One line for all voices without rights: there may be a thousand.
    log.warnOnce(
      rights === undefined ? "no rights" : `rights of ${name}`,
      `${name} ${problem}${rights === undefined ? moreRights : ""}`,
    );
    return [];
  }

  function warnOfSkippedDelete(voice: string, holders: VoiceHolder[]): void {
    const warning = skippedDelete(voice, holders);
    if (warning !== undefined) log.warn(warning);
  }

  /** The new create finds the voice by its name, although the list may not show it yet. */
  function keepForCreate(voice: string, { targetModel, createdAt: gmtCreate }: VoiceOutputs): void {
    calls.keepForCreate(voice);
    // The line names the voice in case the run is killed before that create, and the program drops the resource.
    log.line(`the voice ${voice} is kept for the create that follows, which reuses it`);
    service.account.add({ voice, targetModel, gmtCreate });
  }

  async function checkCreate(inputs: Partial<CheckedVoice>, resource: Resource, unknown: ReadonlySet<string>) {
    const problem = unknown.has("adopt") ? undefined : await previewedAdoption(operation, inputs, resource);
    if (problem !== undefined) return problemsWith("adopt", problem);
    await assertAccountOfStack(operation, resource);
    await warnOfMissingMove(inputs, resource);
    calls.expectCreate(inputs, resource);
    await states.interruptedCreates();
    if (inputs.adopt === undefined) await operation.byHand.noticeCreate(resource);
    return problemsWith("", await noRoomProblem(operation, inputs, resource));
  }

  function checkChange(
    olds: Partial<CheckedVoice>,
    inputs: Partial<CheckedVoice>,
    { identity, secrets, options }: Resource,
    unknown: ReadonlySet<string>,
  ) {
    if (options.deleteBeforeReplace && identity) quota.freesFirst(identity.urn);
    const replaces = voiceReplacements(olds, inputs, unknown);
    if (inputs.adopt !== undefined && inputs.adopt !== olds.adopt && replaces.length === 0) {
      log.line(
        `adopt${secrets?.has("adopt") === false ? `: ${JSON.stringify(inputs.adopt)}` : ""} changes nothing: ` +
          "it is read when a resource is created, and this one has its voice",
      );
    }
    // A value that is not known yet may turn out unchanged. Leave it to the update.
    const known = replaces.filter((name) => !unknown.has(name));
    return problemsWith("adopt", adoptedReplacementProblem(olds, inputs, known));
  }

  /** Reports a second voice with the same generated name. Usually the service created it after a run was killed. */
  async function reportDuplicates(id: string, state: VoiceOutputs): Promise<void> {
    if (!hasGeneratedName(state)) return;
    for (const { voice } of await service.account.named(state.preferredName, state.targetModel)) {
      if (voice === id) continue;
      log.line(
        `the account has a second voice with the name of ${id}: ${voice}. Unless another resource holds it, ` +
          "a killed run left it. `npx --no-install pulumi-cloudvoice voices --orphans` lists such voices",
      );
    }
  }
}

/** The inputs of the program with the recording of the state, whose file is not read. */
function withRecordingOf(olds: Partial<CheckedVoice>, passed: Partial<CheckedVoice>, unknown: ReadonlySet<string>) {
  const ofRecording = ["audio", "audioSha256", "audioSeconds"];
  const kept = Object.entries(olds).filter(([name]) => ofRecording.includes(name));
  const others = Object.entries(passed).filter(([name]) => !ofRecording.includes(name));
  return {
    news: Object.fromEntries([...others, ...kept]) as Partial<CheckedVoice>,
    unknown: new Set([...unknown].filter((name) => name !== "audio")),
  };
}
