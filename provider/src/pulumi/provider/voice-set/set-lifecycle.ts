import { InputError } from "../../../errors";
import { firstOf } from "../../../rules/first-of";
import { hashIn } from "../../../rules/naming";
import { entryName } from "../../../rules/resource-types";
import { unknownValue } from "../../../rules/unknown";
import type { VoiceOutputs } from "../../../rules/voice";
import {
  damageIn,
  onlyEntries,
  type SetInputs,
  type SetState,
  setState,
  type SetVoices,
  voicesIn,
} from "../../../rules/voice-set";
import { damagedState } from "../amended-errors";
import type { Lifecycle } from "../lifecycle";
import type { Operation } from "../operation";
import { voiceLifecycle } from "../voice/voice-lifecycle";
import { checkSet } from "./check";
import { entryOf, inParallel, type SetResource } from "./entry";
import { changesOf, type FieldChange, isLeaving, type PlannedEntry, type Step, stepsLine } from "./plan";
import { intendedBy } from "./log-work";
import { type Recovered, Recovery } from "./recover";
import type { VoiceLifecycle } from "./run";
import { SetUpdate } from "./update";

/** Each call passes the resource as a {@link SetResource}. */
export interface SetLifecycle extends Lifecycle<SetInputs, SetState> {
  diff(
    ...args: Parameters<Lifecycle<SetInputs, SetState>["diff"]>
  ): Promise<{ replaces: string[]; updates: boolean; changes: FieldChange[] }>;
  /** The outputs that an update would have, as far as a preview knows them. */
  plan(olds: Partial<SetState>, news: SetInputs, resource: SetResource): Promise<Partial<SetState>>;
}

/**
 * The life cycle of a set does for entries what the engine does for resources. A change has three parts: what an
 * earlier update left becomes part of the state (recover.ts), the steps are planned (plan.ts), and the steps run
 * (run.ts).
 */
export function voiceSetLifecycle(operation: Operation): SetLifecycle {
  const { settings, log } = operation;
  // The set checks the quota for all its steps at once.
  const single = voiceLifecycle({ ...operation, settings: { ...settings, quotaCheck: "off" } });
  const voice = operation.addresses.kept(single, "voice") as typeof single;
  const recovery = new Recovery(operation, voice);
  const update = new SetUpdate(operation, voice, recovery);

  return {
    async check(news, olds, resource: SetResource) {
      await recovery.readPending();
      return checkSet(operation, voice, news, olds, resource);
    },

    async diff(_id, olds, news, resource: SetResource) {
      admit(operation, olds, resource);
      const { recovered, entries, steps } = await update.preview(olds, news, resource);
      const line = stepsLine(steps, settings);
      if (line !== "") log.line(`${resource.name}: ${line}`);
      if (recovered.leftMs > 0) log.line(openLine(recovered, resource));
      const changes = shownChanges(voicesIn(olds), recovered, entries, steps);
      return { replaces: [], updates: changes.length > 0, changes };
    },

    async create(inputs, resource: SetResource) {
      // The engine calls no `diff` before a create, so check the room in the account here.
      await update.preview(undefined, inputs, resource);
      return { id: resource.name, state: await update.run(undefined, inputs, resource) };
    },

    async update(_id, olds, news, resource: SetResource) {
      admit(operation, olds, resource);
      return update.run(olds, news, resource);
    },

    async plan(olds, news, resource: SetResource) {
      const state = olds.instance === undefined ? undefined : (olds as SetState);
      return plannedOutputs((await update.preview(state, news, resource)).entries);
    },

    async read(_id, state, resource: SetResource) {
      admit(operation, state, resource);
      // Voices that a killed update deleted may be missing.
      await recovery.known(resource, state);
      return readSet(voice, state, resource);
    },

    async delete(_id, state, resource: SetResource) {
      admit(operation, state, resource);
      await recovery.readPending();
      await update.run(state, undefined, resource);
    },

    import: refuseImport,
  };
}

/** The changes that the engine shows. */
function shownChanges(
  saved: SetVoices,
  recovered: Recovered,
  entries: readonly PlannedEntry[],
  steps: readonly Step[],
): FieldChange[] {
  const changes = [
    ...changesOf(saved, entries),
    ...recoveredBy(recovered, entries, saved),
    ...clearedBy(recovered, saved, steps),
  ];
  // Report a change even if no entry differs: an update must run to recover what the interrupted update left.
  if (changes.length > 0 || recovered.interruption === undefined) return changes;
  return [{ path: "leftBehind", kind: "UPDATE", isOutput: true }];
}

/** The state of the set without the voices that no longer exist. */
async function readSet(voice: VoiceLifecycle, state: SetState, resource: SetResource): Promise<SetState> {
  const { voices, ...others } = voicesIn(state);
  const found = await inParallel([...voices], async ([key, each]) => {
    const read = await voice.read(each.voice, each, entryOf(resource, key));
    return read && ([key, read] as const);
  });
  return setState({ voices: new Map(found.filter((each) => each !== undefined)), ...others }, state);
}

function refuseImport(id: string): Promise<never> {
  const reason = `the set ${id} can't be imported: it exists in a state only`;
  const advice = "Give its entries `adopt` with the names of the voices to take over.";
  return Promise.reject(new InputError(reason, { advice }));
}

const voicesOfEntries = ({ voices }: SetVoices) => new Set([...voices.values()].map(({ voice }) => voice));

/**
 * The voices that entries keep although the state does not show it: superseded voices, and after a killed update all
 * voices that come to another entry. A review reads only here that such an entry costs nothing.
 */
function recoveredBy({ interruption }: Recovered, entries: readonly PlannedEntry[], saved: SetVoices): FieldChange[] {
  const ofEntries = voicesOfEntries(saved);
  return entries.flatMap(({ key, keeps }): FieldChange[] => {
    const voice = keeps?.state.voice;
    const isOwn = voice === undefined || voice === saved.voices.get(key)?.voice;
    if (isOwn || (interruption === undefined && ofEntries.has(voice))) return [];
    return [{ path: entryName(entryName("recovered", key), voice), kind: "ADD", isOutput: true }];
  });
}

/**
 * The voices that an update deletes although no entry of the state has them: superseded voices, and voices of a killed
 * update. A preview does not wait for a voice that the list may still show later. It shows such a voice under its
 * preferred name.
 */
function clearedBy({ open }: Recovered, saved: SetVoices, steps: readonly Step[]): FieldChange[] {
  const ofEntries = voicesOfEntries(saved);
  const cleared = steps.filter(isLeaving).filter(({ state }) => !ofEntries.has(state.voice));
  const created = new Set(intendedBy(steps).map(({ inputs }) => hashIn(inputs.preferredName)));
  const unseen = open.map(({ inputs }) => inputs.preferredName).filter((name) => !created.has(hashIn(name)));
  const paths = cleared.map(({ state: { voice } }) => {
    const index = saved.superseded.findIndex(({ state }) => state.voice === voice);
    return index < 0 ? entryName("leftBehind", voice) : `superseded[${index}]`;
  });
  return [...paths, ...unseen.map((name) => entryName("leftBehind", name))].map((path) => {
    return { path, kind: "DELETE", isOutput: true };
  });
}

function openLine({ open, leftMs }: Recovered, { name }: SetResource): string {
  const names = firstOf(open.map(({ key }) => entryName(name, key)));
  return `${name}: it is not known yet whether a killed update created ${names}: the update looks for up to ${Math.ceil(leftMs / 1000)} s`;
}

/**
 * Before any request because of this state: refuses a damaged state, learns the addresses that it records, and learns
 * the stack, whose name leads to the set's log. In a refresh and a destroy, the engine calls no `check` before.
 */
function admit({ addresses, states }: Operation, state: SetState, { identity }: SetResource): void {
  const damaged = damageIn(state);
  if (damaged.length > 0) throw damagedState("VoiceSet", damaged);
  const accounts = new Set([...voicesIn(state).voices.values()].map(({ account }) => account));
  for (const account of accounts) addresses.learn("voice", { account });
  states.learnStack(identity);
}

/** The outputs that an update would have. Of a new voice, a preview knows only the declared values. */
function plannedOutputs(entries: readonly PlannedEntry[]): Partial<SetState> {
  const planned = entries.map(({ key, keeps, wanted }): [string, VoiceOutputs] => {
    return [key, keeps?.state ?? ({ ...unknownOutputs(wanted.unknown), ...wanted.inputs } as VoiceOutputs)];
  });
  const { voices, manifest } = setState(onlyEntries(planned), { instance: "", updates: 0 });
  return { voices, manifest };
}

/** The outputs of a voice that a preview does not know. */
function unknownOutputs(inputs: Iterable<string>): object {
  const names = ["voice", "createdAt", "degraded", "adopted", ...inputs];
  return Object.fromEntries(names.map((name) => [name, unknownValue]));
}
