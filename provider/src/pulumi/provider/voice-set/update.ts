import { randomUUID } from "node:crypto";
import { type CheckedVoice, hasGeneratedName } from "../../../rules/voice";
import {
  afterOutcomes,
  voiceIds,
  type SetInputs,
  setState,
  type SetState,
  type SetVoices,
  voicesIn,
} from "../../../rules/voice-set";
import { stackOfUrn } from "../../../stacks/names";
import type { LoggedCreate } from "../../../voices/set-log";
import { unseenQuestion } from "../../../voices/judge/missing";
import { entryName } from "../../../rules/resource-types";
import { InitializationFailed, type Resource } from "../lifecycle";
import type { Operation } from "../operation";
import { entryOf, inParallel, type SetResource } from "./entry";
import { type Need, needsOf, type Step, stepsOf } from "./plan";
import type { Recovered, Recovery } from "./recover";
import { freePlaces, withTaken } from "./room";
import { errorOf, type Failure, isCertain, runSteps, stepPerformer, type VoiceLifecycle } from "./run";

/** What the program asks of a set: nothing for one that is destroyed. */
type Wanted = Pick<SetInputs, "voices" | "defaults" | "deleteBeforeReplace" | "keepRemoved">;

/** Changes a set: recovers what an earlier update left, plans the steps, and runs them. */
export class SetUpdate {
  /** The voices that entries keep by the last plan, by the sets' URNs. */
  private readonly kept = new Map<string, readonly { voice: string; entry: Resource }[]>();

  constructor(
    private readonly operation: Operation,
    private readonly voice: VoiceLifecycle,
    private readonly recovery: Recovery,
  ) {}

  /** What each entry needs, by the life cycle of a voice. `saved`: the voices of the state. */
  async needs(held: SetVoices, saved: SetVoices, news: SetInputs, resource: SetResource): Promise<Need[]> {
    const inState = voiceIds(saved);
    const deletesFirst = news.deleteBeforeReplace === true;
    const { urn } = resource.identity;
    // Before the wait, a preview may have matched them in another way.
    for (const { voice, entry } of this.kept.get(urn) ?? []) this.operation.calls.keepNot(voice, entry);
    const needs = await inParallel(needsOf(held, news, resource.ignored), async (need): Promise<Need> => {
      const { key, from, wanted } = need;
      if (from === undefined) return need;
      const entry = entryOf(resource, key, { deletesFirst });
      const { state } = from;
      if (!inState.has(state.voice)) {
        // Its note stays until a state has it.
        if (need.action !== "create") this.operation.calls.keep(state.voice, entry);
        return need;
      }
      const inputs = wanted.inputs as CheckedVoice;
      const { replaces } = await this.voice.diff(state.voice, state, inputs, entry, wanted.unknown);
      if (replaces.length === 0 || need.action === "create") return need;
      return {
        key,
        action: "create",
        from: from.key === key ? from : undefined,
        wanted: need.given,
        given: need.given,
      };
    });
    const kept = needs.filter(({ action, from }) => action !== "create" && from !== undefined);
    this.kept.set(
      urn,
      kept.map(({ key, from }) => ({ voice: from?.state.voice ?? "", entry: entryOf(resource, key) })),
    );
    return needs;
  }

  /** `olds` is undefined for a set that is created, and `news` for one that is destroyed. */
  async run(olds: SetState | undefined, news: Wanted | undefined, resource: SetResource): Promise<SetState> {
    const { operation, recovery } = this;
    const recovered = await recovery.settle(resource, olds, news === undefined);
    const { held, interruption } = recovered;
    const steps = await this.steps(held, voicesIn(olds ?? {}), news ?? { voices: {} }, resource);
    const instance = olds?.instance ?? interruption?.instance ?? randomUUID();
    const update = (olds?.updates ?? 0) + 1;
    const isWork = interruption !== undefined || steps.some(({ action }) => action !== "keep");
    const end = isWork ? await this.begin(recovered, olds, steps, { instance, update }, resource) : undefined;
    const perform = stepPerformer(operation, this.voice, resource, steps, doubtfulIn(recovered, olds));
    const { results, isWhole } = await runSteps(steps, perform, operation.stopped);

    const failed = results.flatMap((result) => ("error" in result ? [result] : []));
    const failures: Failure[] = failed.map(({ step, error }) => ({ name: entryName(resource.name, step.key), error }));
    const asked = isWhole ? await this.askAboutUnknown(recovered, steps, resource) : [];
    failures.push(...asked);
    if (!isWhole)
      failures.push({ name: resource.name, error: new Error("not everything has ended since it was cancelled") });
    const uncertain = failed.filter((result) => !isCertain(result));
    const isKnown = isWhole && uncertain.length + asked.length === 0 && !recovered.isUnread;
    const open = [
      ...uncertain.map(({ step }) => nameOf(step)),
      ...recovered.unknown.map((each) => each.inputs.preferredName),
    ];
    // Without an engine nobody saves the end.
    if (isWhole)
      await operation.assertEngineAlive().then(
        () => end?.(open),
        () => undefined,
      );
    const after = afterOutcomes(
      held,
      results.flatMap((result) => ("outcome" in result ? [result.outcome] : [])),
    );
    const state = setState(after, { instance, updates: isKnown ? update : update - 1 });
    if (failures.length === 0) return state;
    // The engine keeps the state of a set that it could not delete.
    if (news === undefined || after.voices.size + after.superseded.length === 0) throw errorOf(failures);
    throw new InitializationFailed(resource.name, state, errorOf(failures).message);
  }

  private async steps(held: SetVoices, saved: SetVoices, news: SetInputs, resource: SetResource): Promise<Step[]> {
    const { operation } = this;
    const needs = await this.needs(held, saved, news, resource);
    for (const { key, action, from } of needs) {
      if (action === "create" || from === undefined || saved.voices.get(key)?.voice === from.state.voice) continue;
      // The check may have expected a create. None follows, so keep no voice for it.
      operation.calls.claim(from.state.voice, {}, entryOf(resource, key));
      operation.calls.expectNoCreate(entryOf(resource, key));
    }
    // The log has the names that are sent.
    const named = await inParallel(needs, (need) => this.withOwnName(need, resource));
    const isPaid = named.some(({ action }) => action === "create");
    return stepsOf(held, isPaid ? await withTaken(operation, named, resource) : named, {
      deletesFirst: news.deleteBeforeReplace === true,
      keepsOld: news.keepRemoved === true,
      room: isPaid ? await freePlaces(operation) : Infinity,
    });
  }

  /**
   * The check gives an entry the name of the voice that it seems to have. If the entry gets another voice, e.g. because
   * the voice of its old key is missing, it gets the name that is made for it.
   */
  private async withOwnName(need: Need, resource: SetResource): Promise<Need> {
    const { key, action, wanted } = need;
    const { inputs } = wanted;
    if (action !== "create" || !hasGeneratedName(inputs)) return need;
    const entry = entryOf(resource, key);
    const urn = entry.identity?.urn ?? "";
    if (await this.operation.facts.isNameIn({ urn, inputs }, inputs.preferredName ?? "")) return need;
    const { preferredName: _, nameVersion: _version, audioSha256: _hash, audioSeconds: _seconds, ...given } = inputs;
    const checked = await this.voice.check(given, undefined, entry, new Set());
    return { ...need, wanted: { ...wanted, inputs: checked.inputs } };
  }

  /** Notes what the update is about to do. Returns a function that notes its end. */
  private async begin(
    { held, interruption, unknown }: Recovered,
    olds: SetState | undefined,
    steps: readonly Step[],
    { instance, update }: { instance: string; update: number },
    resource: SetResource,
  ) {
    const { states, assertEngineAlive, earlier, service } = this.operation;
    const stack = stackOfUrn(resource.identity.urn);
    const saved = voicesIn(olds ?? {});
    const inState = voiceIds(saved);
    const leaving = steps.flatMap((step) => (step.action === "delete" ? [step] : []));
    const staying = new Set(leaving.filter(({ frees }) => frees === 0).map(({ state }) => state.voice));
    const going = new Set(leaving.filter(({ frees }) => frees === 1).map(({ state }) => state.voice));
    const existing = voiceIds(held);
    const carried = (interruption?.creates ?? []).flatMap((create): LoggedCreate[] => {
      const { key, inputs, note, made } = create;
      if (unknown.includes(create)) return [{ key, inputs, note }];
      return made.flatMap(({ voice }) =>
        inState.has(voice) || staying.has(voice) ? [] : [{ key, inputs, note, voice }],
      );
    });
    const creates = await Promise.all(
      intendedBy(steps).map(async ({ key, inputs }) => ({
        key,
        inputs,
        note: await earlier.noteKey(inputs, stack),
      })),
    );
    const known = new Set(interruption?.creates.map(({ inputs }) => inputs.preferredName));
    const before = creates.filter(({ inputs }) => !known.has(inputs.preferredName));
    const named = await Promise.all(
      before.map(({ inputs }) => service.account.namedSurely(inputs.preferredName, inputs.targetModel)),
    );
    const work = {
      creates: [...carried, ...creates],
      // Also those that an earlier update has deleted and the state still has.
      deletes: [...inState, ...voiceIds(held)].filter((voice) => going.has(voice) || !existing.has(voice)),
      // A voice that leaves the set on purpose and stays must not look like one that this update made.
      existing: [...(interruption?.existing ?? []), ...named.flat().map(idOf), ...staying],
    };
    // After a kill of the engine alone, the next run may have written its log.
    await assertEngineAlive();
    const own = await states.own().catch(() => undefined);
    const entry = { ...work, stack: own?.stack ?? stack, name: resource.name, instance, update };
    return this.recovery.log.begin(entry, resource.identity.savedUrn, olds === undefined);
  }

  /** Asks about voices that an earlier update may have made, that no list shows, and that no entry wants. */
  private async askAboutUnknown(
    { unknown }: Recovered,
    steps: readonly Step[],
    { identity, name }: SetResource,
  ): Promise<Failure[]> {
    const { questions, settings } = this.operation;
    const wanted = new Set(intendedBy(steps).map(({ inputs }) => inputs.preferredName));
    const failures: Failure[] = [];
    for (const { inputs, doubt = "" } of unknown) {
      const { preferredName } = inputs;
      if (wanted.has(preferredName)) continue;
      const origin = { origin: settings.voiceBaseUrl };
      const question = unseenQuestion(preferredName, stackOfUrn(identity.urn), doubt, origin);
      await questions
        .assertAccepted(question, `the voice ${preferredName} counts as not created`)
        .catch((error: unknown) => failures.push({ name, error }));
    }
    return failures;
  }
}

const idOf = ({ voice }: { voice: string }) => voice;

const nameOf = (step: Step) => (step.action === "delete" ? step.state : step.need.wanted.inputs).preferredName ?? "";

/** The superseded voices that only a field of the state shows to be of the set. */
function doubtfulIn({ interruption }: Recovered, olds: SetState | undefined): Set<string> {
  const made = new Set(interruption?.creates.flatMap((create) => create.made.map(idOf)));
  const superseded = (olds?.superseded ?? []).map(({ state }) => state.voice);
  return new Set(superseded.filter((voice) => !made.has(voice)));
}

/** The creates of generated names: these can be found again. */
function intendedBy(steps: readonly Step[]): Pick<LoggedCreate, "key" | "inputs">[] {
  return steps.flatMap((step) => {
    if (step.action !== "create" || !hasGeneratedName(step.need.wanted.inputs)) return [];
    const { preferredName, targetModel, adopt, ...others } = step.need.wanted.inputs;
    const isFound = adopt === undefined && preferredName !== undefined && targetModel !== undefined;
    return isFound ? [{ key: step.key, inputs: { ...others, preferredName, targetModel } }] : [];
  });
}
