import { CloudVoiceError, InputError } from "../../../errors";
import { checkFailure, quoted } from "../../../rules/inputs";
import { isRecord } from "../../../rules/is-record";
import { entryName } from "../../../rules/resource-types";
import { unknownValue } from "../../../rules/unknown";
import { visible } from "../../../rules/visible";
import { type CheckedVoice, type VoiceOutputs, voiceReplacements } from "../../../rules/voice";
import {
  adoptedTwice,
  damageIn,
  entryPath,
  type SetInputs,
  setProblems,
  type SetState,
  setState,
  madeVoices,
  renamedEntries,
  type WantedEntry,
  wantedEntries,
} from "../../../rules/voice-set";
import { damagedState } from "../amended-errors";
import type { Lifecycle } from "../lifecycle";
import type { Operation } from "../operation";
import { recordingOf } from "../recording";
import { voiceLifecycle } from "../voice/lifecycle";
import { entryOf, inParallel, type SetResource } from "./entry";
import { type Interrupted, interruptedUpdates, type InterruptedUpdates } from "./interrupted";
import { changesOf, type FieldChange, setPlanner, type SetSteps, stepsLine } from "./plan";
import { setQuota } from "./quota";
import { setUpdate } from "./update";

export interface SetLifecycle extends Lifecycle<SetInputs, SetState> {
  check(
    news: Partial<SetInputs>,
    olds: Partial<SetInputs> | undefined,
    resource: SetResource,
    unknown: ReadonlySet<string>,
  ): ReturnType<Lifecycle<SetInputs, SetState>["check"]>;
  diff(
    id: string,
    olds: SetState,
    news: SetInputs,
    resource: SetResource,
    unknown: ReadonlySet<string>,
  ): Promise<{ replaces: string[]; updates: boolean; changes: FieldChange[] }>;
  create(inputs: SetInputs, resource: SetResource): Promise<{ id: string; state: SetState }>;
  update(id: string, olds: SetState, news: SetInputs, resource: SetResource): Promise<SetState>;
  read(id: string, state: SetState, resource: SetResource): Promise<SetState | undefined>;
  delete(id: string, state: SetState, resource: SetResource): Promise<void>;
  /** The outputs after an update, as far as a preview knows them. */
  plan(olds: Partial<SetState>, news: SetInputs, resource: SetResource): Promise<Partial<SetState>>;
}

/** The facts that a check adds to an entry. */
const facts = ["preferredName", "nameVersion", "audioSha256", "audioSeconds"] as const;

/**
 * Many voices as one resource. The life cycle of a voice applies its rules to each entry. This one does for entries
 * what the engine does for resources: it finds new, renamed and removed entries, orders the work, saves the others
 * when one fails, and cleans up after a killed update.
 */
export function voiceSetLifecycle(operation: Operation): SetLifecycle {
  const { settings } = operation;
  // The quota is judged once, with the whole need of the set.
  const single = voiceLifecycle({ ...operation, settings: { ...settings, quotaCheck: "off" } });
  const voice = operation.addresses.kept(single, "voice") as typeof single;
  const interrupted = interruptedUpdates(operation);
  const plan = setPlanner(voice);
  const update = setUpdate(operation, voice, plan, interrupted);
  const judgeQuota = setQuota(operation, interrupted);

  /** An entry that needs a new voice is checked as the engine checks a new resource: without old inputs. */
  async function checkEntry(
    key: string,
    { inputs, unknown }: WantedEntry,
    olds: Partial<CheckedVoice> | undefined,
    resource: SetResource,
    deletesFirst: boolean,
  ) {
    const keepsRecording = olds?.audio !== undefined && inputs.audioSha256 !== undefined;
    const entry = entryOf(resource, key, { deletesFirst, keepsRecording });
    const checked = await voice.check(inputs, olds, entry, unknown);
    if (olds === undefined || checked.failures.length > 0) return { ...checked, makes: olds === undefined };
    if (voiceReplacements(olds, checked.inputs, unknown).length === 0) return { ...checked, makes: false };
    return { ...(await voice.check(inputs, undefined, entry, unknown)), makes: true };
  }

  return {
    async check(news, olds, resource) {
      const problems = setProblems(news);
      if (problems.length > 0) return { inputs: news, failures: problems.map((problem) => checkFailure(problem)) };
      const { voices, deleteBeforeReplace, keepRemoved } = news as SetInputs;
      operation.states.learnStack(resource.identity);
      await interrupted.look();
      const wanted = wantedEntries(news as SetInputs);
      const before = new Map(
        [...wantedEntries((olds ?? { voices: {} }) as SetInputs)].map(([key, { inputs }]) => [key, inputs]),
      );
      const renamed = renamedEntries(before, await withRecordings(wanted, before));
      const checked = await inParallel([...wanted], async ([key, entry]) => {
        const from = before.get(renamed.get(key) ?? key);
        return { key, ...(await checkEntry(key, entry, from, resource, deleteBeforeReplace === true)) };
      });
      const shared = adoptedTwice(wanted).map((problem) => checkFailure(problem));
      const found = checked.flatMap(({ key, failures }) =>
        failures.map(({ property, reason }) => {
          if (property === "") return { property, reason: `${entryPath(key)}: ${reason}` };
          if (isOfDefaults(news as SetInputs, key, property)) return { property: `defaults.${property}`, reason };
          // For a resource, the engine prints the value of the input. For an entry it does not, so add it here.
          const place = property === "audio" ? `${visible(quoted(wanted.get(key)?.inputs.audio))} ` : "";
          return { property: entryPath(key, property), reason: place + reason };
        }),
      );
      // A problem of the defaults occurs in each entry. Report it once.
      const failures = [...shared, ...new Map(found.map((each) => [`${each.property} ${each.reason}`, each])).values()];
      const stays = new Set([...wanted.keys()].map((key) => renamed.get(key) ?? key));
      if (failures.length === 0) {
        const problem = await judgeQuota(resource, {
          entries: checked.map((entry) => ({ ...entry, from: renamed.get(entry.key) ?? entry.key })),
          removed: [...before.keys()].filter((key) => !stays.has(key)),
          deletesFirst: deleteBeforeReplace === true,
          keepsOld: keepRemoved === true,
        });
        if (problem !== undefined) failures.push({ property: "", reason: problem });
      }
      if (!isRecord(voices)) return { inputs: news, failures };
      const accepted = checked.map(({ key, inputs }) => {
        const given = voices[key];
        if (!isRecord(given)) return [key, given] as const;
        const added = facts.filter((name) => inputs[name] !== undefined).map((name) => [name, inputs[name]]);
        const audio = inputs.audio !== wanted.get(key)?.inputs.audio ? { audio: inputs.audio } : {};
        return [key, { ...given, ...audio, ...Object.fromEntries(added) }] as const;
      });
      return { inputs: { ...news, voices: Object.fromEntries(accepted) }, failures };
    },

    async diff(_id, olds, news, resource) {
      assertWhole(olds);
      const steps = await plan(madeVoices(olds), news, resource);
      const changes = changesOf(steps);
      const line = stepsLine(steps, settings);
      if (line !== "") operation.log.line(`${resource.name}: ${line}`);
      const earlier = await interrupted.of(resource, olds);
      const cleared = [
        ...(olds.leftovers ?? []).map((_, index): FieldChange => ({ path: `leftovers[${index}]`, kind: "DELETE" })),
        ...(earlier === undefined ? [] : await leftBehind(interrupted, earlier, resource, olds, steps)),
      ];
      const all = [...changes, ...cleared.map((change) => ({ ...change, isOutput: true }))];
      // The update looks for what a killed one left, also where nothing is listed.
      if (all.length === 0 && earlier !== undefined) all.push({ path: "leftBehind", kind: "UPDATE", isOutput: true });
      return { replaces: [], updates: all.length > 0, changes: all };
    },

    async create(inputs, resource) {
      const state = await update.run(undefined, inputs, resource);
      return { id: resource.name, state };
    },

    async update(_id, olds, news, resource) {
      assertWhole(olds);
      return update.run(olds, news, resource);
    },

    async plan(olds, news, resource) {
      const steps = await plan(madeVoices(olds), news, resource);
      const made = steps.entries.map(({ key, from, action, wanted }): [string, VoiceOutputs] => {
        const isKept = from !== undefined && (action === "same" || action === "update");
        // For a new voice, a preview knows the declared values only.
        return [key, isKept ? from.state : ({ ...unknownOutputs(wanted.unknown), ...wanted.inputs } as VoiceOutputs)];
      });
      const { voices, manifest } = setState(new Map(made), { leftovers: [], updates: 0 });
      return { voices, manifest };
    },

    async read(_id, state, resource) {
      assertWhole(state);
      const made = [...madeVoices(state)];
      const found = await inParallel(made, async ([key, each]) => {
        const read = await voice.read(each.voice, each, entryOf(resource, key));
        return read && ([key, read] as const);
      });
      return setState(new Map(found.filter((each) => each !== undefined)), { leftovers: [], ...state });
    },

    async delete(_id, state, resource) {
      assertWhole(state);
      // A destroy calls no `check` that would name the stack, and it needs the notes of the stack's updates.
      operation.states.learnStack(resource.identity);
      await update.remove(state, resource);
    },

    import(id) {
      const reason = `the set ${id} can't be imported: it exists in a state only`;
      const advice = "Give its entries `adopt` with the names of the voices to take over.";
      return Promise.reject(new InputError(reason, { advice }));
    },
  };

  /**
   * The hash of a recording is part of an entry's content. It is read only for new keys: only these may be new names of
   * removed ones.
   */
  async function withRecordings(wanted: ReadonlyMap<string, WantedEntry>, before: ReadonlyMap<string, unknown>) {
    const isAnyRemoved = [...before.keys()].some((key) => !wanted.has(key));
    if (!isAnyRemoved) return new Map<string, WantedEntry>();
    const all = await inParallel([...wanted], async ([key, entry]): Promise<[string, WantedEntry]> => {
      const file = before.has(key) ? undefined : await recordingOf(operation, entry.inputs.audio);
      if (file?.state !== "audio") return [key, entry];
      return [key, { ...entry, inputs: { ...entry.inputs, audioSha256: file.sha256 } }];
    });
    return new Map(all);
  }
}

/**
 * What an update deletes of a killed one, as far as the account's list shows it now. A preview does not wait, so a voice
 * that may still appear stands there under its preferred name.
 */
async function leftBehind(
  interrupted: InterruptedUpdates,
  earlier: Interrupted,
  resource: SetResource,
  olds: SetState,
  { entries }: SetSteps,
): Promise<FieldChange[]> {
  const creates = entries.filter(({ action }) => action === "create" || action === "replace");
  const reused = new Set(creates.map(({ wanted }) => wanted.inputs.preferredName));
  const states = [...madeVoices(olds).values(), ...(olds.leftovers ?? []).map(({ state }) => state)];
  const held = new Set(states.map((state) => state.voice));
  const intended = earlier.intended.filter(({ preferredName }) => !reused.has(preferredName));
  // Without a list, the names are all that is known.
  const names = new Set(intended.map(({ preferredName }) => preferredName));
  const found = await interrupted.listedNow({ ...earlier, intended }, resource, held).catch((error: unknown) => {
    if (CloudVoiceError.is(error)) return names;
    throw error;
  });
  return [...found].map((name) => ({ path: entryName("leftBehind", name), kind: "DELETE" }));
}

/** Whether an entry has an input from the defaults of the set. */
function isOfDefaults({ voices, defaults }: SetInputs, key: string, input: string): boolean {
  const given: unknown = voices[key];
  return isRecord(defaults) && input in defaults && !(isRecord(given) && input in given);
}

function assertWhole(state: SetState): void {
  const damaged = damageIn(state);
  if (damaged.length > 0) throw damagedState("VoiceSet", damaged);
}

/** The outputs of a voice that a preview does not know. */
function unknownOutputs(inputs: Iterable<string>): object {
  const names = ["voice", "createdAt", "degraded", "adopted", ...inputs];
  return Object.fromEntries(names.map((name) => [name, unknownValue]));
}
