import { randomUUID } from "node:crypto";
import { hashIn } from "../../../rules/naming";
import type { CheckedVoice } from "../../../rules/voice";
import {
  afterOutcomes,
  heldIn,
  voiceIds,
  type SetInputs,
  setState,
  type SetState,
  type SetVoices,
  voicesIn,
  wantedEntries,
} from "../../../rules/voice-set";
import { stackOfUrn } from "../../../stacks/names";
import { unseenQuestion } from "../../../voices/judge/missing";
import { entryName } from "../../../rules/resource-types";
import { InitializationFailed, type Resource } from "../lifecycle";
import type { Operation } from "../operation";
import { entryOf, inParallel, type SetResource } from "./entry";
import { intendedBy, isCarried, workOf } from "./log-work";
import { isLeaving, type PlannedEntry, plannedEntries, type Step, stepsOf, withOwnNames } from "./plan";
import { createCount } from "./progress";
import type { Recovered, Recovery } from "./recover";
import { freePlaces, stepsInRoom, withTaken } from "./room";
import { voicesToReplace } from "./replaced";
import { errorOf, type Failure, isCertain, performStep, runSteps, type VoiceLifecycle } from "./run";

export class SetUpdate {
  /** The voices that the entries of a set keep by the last plan. The key is the URN of the set. */
  private readonly kept = new Map<string, readonly { voice: string; entry: Resource }[]>();

  constructor(
    private readonly operation: Operation,
    private readonly voice: VoiceLifecycle,
    private readonly recovery: Recovery,
  ) {}

  /** The steps that an update would run, as far as they are known without waiting. */
  async preview(olds: SetState | undefined, news: SetInputs, resource: SetResource) {
    const recovered = await this.recovery.known(resource, olds);
    const replaced = olds ? voicesIn({}) : await voicesToReplace(this.operation, resource, true);
    const entries = await this.entries(recovered.held, voicesIn(olds ?? {}), replaced, news, resource);
    const steps = await stepsInRoom(this.operation, recovered.held, entries, resource, news);
    for (const { action, key, state } of steps.filter(isLeaving))
      if (action === "delete") this.operation.calls.expectDelete(state.voice, entryOf(resource, key), true);
    return { recovered, entries, steps };
  }

  /**
   * Plans which voice each entry gets, and asks the life cycle of a voice about it. `saved`: the voices of the state.
   * `replaced`: the voices of the set that a new set replaces.
   */
  private async entries(
    held: SetVoices,
    saved: SetVoices,
    replaced: SetVoices,
    news: SetInputs,
    resource: SetResource,
  ): Promise<PlannedEntry[]> {
    const { calls } = this.operation;
    const { urn } = resource.identity;
    // Take back the last plan of this operation, which may have matched other voices, because less was recovered then.
    for (const { voice, entry } of this.kept.get(urn) ?? []) calls.keepNot(voice, entry);
    const inReplaced = voiceIds(replaced);
    const inState = new Set([...voiceIds(saved), ...inReplaced]);
    const deletesFirst = news.deleteBeforeReplace === true;
    const declared = wantedEntries(news);
    const kept: { voice: string; entry: Resource }[] = [];
    const planned = await inParallel(plannedEntries(held, news, resource.ignored, replaced), async (each) => {
      const { key, wanted, keeps, replaces } = each;
      const old = keeps ?? replaces;
      if (old === undefined) return each;
      const { voice } = old.state;
      const entry = entryOf(resource, key, { deletesFirst });
      if (inState.has(voice)) {
        const inputs = wanted.inputs as CheckedVoice;
        const diff = await this.voice.diff(voice, old.state, inputs, entry, wanted.unknown);
        if (keeps !== undefined && diff.replaces.length > 0) {
          const isOwn = keeps.key === key && !inReplaced.has(voice);
          return { key, wanted: declared.get(key) ?? wanted, replaces: isOwn ? keeps : undefined };
        }
      } else if (keeps !== undefined) calls.keep(voice, entry); // Keep its note until a state has the voice.
      if (keeps !== undefined) kept.push({ voice, entry });
      return each;
    });
    this.kept.set(urn, kept);
    return withOwnNames([...heldIn(held), ...heldIn(replaced)], planned);
  }

  /** `olds` is undefined for a set that is created, and `news` for one that is destroyed. */
  async run(olds: SetState | undefined, news: SetInputs | undefined, resource: SetResource): Promise<SetState> {
    const { operation, voice } = this;
    const { name } = resource;
    const recovered = await this.recovery.settled(resource, olds, news === undefined);
    const { held, interruption } = recovered;
    const saved = voicesIn(olds ?? {});
    const replaced = olds ? voicesIn({}) : await voicesToReplace(operation, resource, false);
    const steps = await this.steps(held, saved, replaced, news ?? { voices: {} }, resource);
    for (const step of steps.filter(isLeaving)) operation.calls.expectNoDelete(step.state.voice);
    const instance = olds?.instance ?? interruption?.instance ?? randomUUID();
    const update = (olds?.updates ?? 0) + 1;
    const isLogged = interruption !== undefined || steps.some(({ action }) => action !== "keep");
    const noteEnd = isLogged ? await this.writeLog(recovered, saved, steps, { instance, update }, resource) : undefined;

    const countCreate = createCount(steps.filter(({ action }) => action === "create").length, name, operation);
    const work = { operation, voice, resource, countCreate, doubtful: doubtfulIn(recovered, saved) };
    const { results, isWhole } = await runSteps(steps, (step) => performStep(work, step), operation.stopped);

    const failed = results.flatMap((result) => ("error" in result ? [result] : []));
    const uncertain = failed.filter((result) => !isCertain(result));
    const asked = isWhole ? await this.askAboutOpen(recovered, steps, resource) : [];
    const failures: Failure[] = [
      ...failed.map(({ step, error }) => ({ name: entryName(name, step.key), error })),
      ...asked,
      ...(isWhole ? [] : [{ name, error: new Error("not everything has ended since it was cancelled") }]),
    ];
    const isKnown = isWhole && uncertain.length + asked.length === 0 && !recovered.isUnread;
    const open = [
      ...uncertain.map(({ step }) => nameOf(step)),
      ...recovered.open.map(({ inputs }) => inputs.preferredName),
    ];
    // Without a running engine, nobody saves the state, so the log must stay open.
    if (isWhole)
      await operation.assertEngineAlive().then(
        () => noteEnd?.(open),
        () => undefined,
      );
    const outcomes = results.flatMap((result) => ("outcome" in result ? [result.outcome] : []));
    const after = afterOutcomes(held, outcomes);
    const state = setState(after, { instance, updates: isKnown ? update : update - 1 });
    if (failures.length === 0) return state;
    // After a failed delete the engine keeps the saved state, and a new set without voices has no state to save.
    if (news === undefined || voiceIds(after).size === 0) throw errorOf(failures);
    throw new InitializationFailed(name, state, errorOf(failures).message);
  }

  private async steps(
    held: SetVoices,
    saved: SetVoices,
    replaced: SetVoices,
    news: SetInputs,
    resource: SetResource,
  ): Promise<Step[]> {
    const { operation } = this;
    const entries = await this.entries(held, saved, replaced, news, resource);
    for (const { key, keeps } of entries) {
      if (keeps === undefined || saved.voices.get(key)?.voice === keeps.state.voice) continue;
      // `check` may have announced a create that would reuse this voice. The entry keeps the voice, so no create
      // follows.
      operation.calls.claim(keeps.state.voice, {}, entryOf(resource, key));
      operation.calls.expectNoCreate(entryOf(resource, key));
    }
    if (entries.every(({ keeps }) => keeps !== undefined)) return stepsOf(held, entries, news, Infinity);
    return stepsOf(held, await withTaken(operation, entries, resource), news, await freePlaces(operation));
  }

  /** Returns a function that notes the end of the update. */
  private async writeLog(
    recovered: Recovered,
    saved: SetVoices,
    steps: readonly Step[],
    { instance, update }: { instance: string; update: number },
    resource: SetResource,
  ) {
    const { name, identity } = resource;
    const { states, assertEngineAlive, earlier, service } = this.operation;
    const stack = stackOfUrn(identity.urn);
    const creates = await inParallel(intendedBy(steps), async (each) => {
      return { ...each, note: await earlier.noteKey(each.inputs, stack) };
    });
    const others = creates.filter((create) => !isCarried(create, recovered.interruption));
    const listed = await inParallel(others, ({ inputs }) =>
      service.account.namedSurely(inputs.preferredName, inputs.targetModel),
    );
    const work = workOf(recovered, saved, steps, { creates, listed: listed.flat().map(({ voice }) => voice) });
    // If only the engine was killed, the next run may have written its log already. Do not overwrite that log.
    await assertEngineAlive();
    const own = await states.own().catch(() => undefined);
    const pendingBefore = await this.recovery.pendingCreates(resource);
    const entry = { ...work, stack: own?.stack ?? stack, name, instance, update, pendingBefore };
    return this.recovery.setLog.begin(entry, identity.savedUrn);
  }

  /**
   * Asks about voices that the interrupted update may have created, although no list shows them, and that no entry of
   * the program needs.
   */
  private async askAboutOpen(
    { open }: Recovered,
    steps: readonly Step[],
    { identity, name }: SetResource,
  ): Promise<Failure[]> {
    const { questions, settings } = this.operation;
    const wanted = new Set(intendedBy(steps).map(({ inputs }) => hashIn(inputs.preferredName)));
    const failures: Failure[] = [];
    for (const { inputs, doubt = "" } of open) {
      const { preferredName } = inputs;
      if (wanted.has(hashIn(preferredName))) continue;
      const origin = { origin: settings.voiceBaseUrl };
      const question = unseenQuestion(preferredName, stackOfUrn(identity.urn), doubt, origin);
      await questions
        .assertAccepted(question, `the voice ${preferredName} counts as not created`)
        .catch((error: unknown) => failures.push({ name, error }));
    }
    return failures;
  }
}

const nameOf = (step: Step) => ("state" in step ? step.state : step.entry.wanted.inputs).preferredName ?? "";

/** Superseded voices that only the state names, not the set's log: see `Work.doubtful`. */
function doubtfulIn({ interruption }: Recovered, { superseded }: SetVoices): Set<string> {
  const made = new Set(interruption?.creates.flatMap(({ found }) => found.map(({ voice }) => voice)));
  return new Set(superseded.map(({ state }) => state.voice).filter((voice) => !made.has(voice)));
}
