import { InputError } from "../../../errors";
import { type CheckFailure, checkFailure, quoted } from "../../../rules/inputs";
import { isRecord } from "../../../rules/is-record";
import { entryName } from "../../../rules/resource-types";
import { unknownValue } from "../../../rules/unknown";
import { visible } from "../../../rules/visible";
import { type CheckedVoice, type VoiceOutputs, voiceReplacements } from "../../../rules/voice";
import {
  adoptedTwice,
  damageIn,
  entryPath,
  matchedEntries,
  type SetInputs,
  setProblems,
  type SetState,
  setState,
  voiceIds,
  voicesIn,
  type WantedEntry,
  wantedEntries,
} from "../../../rules/voice-set";
import { damagedState } from "../amended-errors";
import type { Lifecycle } from "../lifecycle";
import type { Operation } from "../operation";
import { recordingOf } from "../recording";
import { voiceLifecycle } from "../voice/lifecycle";
import { entryOf, inParallel, type SetResource } from "./entry";
import { changesOf, type FieldChange, type Need, someOf, stepsLine } from "./plan";
import { type Recovered, Recovery } from "./recover";
import { stepsInRoom } from "./room";
import { SetUpdate } from "./update";

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
 * what the engine does for resources. A change has three parts: what an earlier update left becomes part of the state
 * (recover.ts), the steps are planned (plan.ts), and they run (run.ts).
 */
export function voiceSetLifecycle(operation: Operation): SetLifecycle {
  const { settings, states, log } = operation;
  // The quota is judged once, with the whole need of the set.
  const single = voiceLifecycle({ ...operation, settings: { ...settings, quotaCheck: "off" } });
  const voice = operation.addresses.kept("voice", single) as typeof single;
  const recovery = new Recovery(operation, voice);
  const update = new SetUpdate(operation, voice, recovery);

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
    if (olds === undefined || checked.failures.length > 0) return { key, ...checked };
    if (voiceReplacements(olds, checked.inputs, unknown).length === 0) return { key, ...checked };
    return { key, ...(await voice.check(inputs, undefined, entry, unknown)) };
  }

  /** What an update would do, as far as it is known without waiting. */
  async function preview(olds: SetState | undefined, news: SetInputs, resource: SetResource) {
    const recovered = await recovery.look(resource, olds);
    const needs = await update.needs(recovered.held, voicesIn(olds ?? {}), news, resource);
    return { recovered, needs, steps: await stepsInRoom(operation, recovered.held, needs, resource, optionsOf(news)) };
  }

  return {
    async check(news, olds, resource) {
      const problems = setProblems(news);
      if (problems.length > 0) return { inputs: news, failures: problems.map((problem) => checkFailure(problem)) };
      const given = news as SetInputs;
      states.learnStack(resource.identity);
      await recovery.begin();
      const wanted = wantedEntries(given);
      const before = [...wantedEntries((olds ?? { voices: {} }) as SetInputs)].map(([key, { inputs }]) => ({
        key,
        inputs,
      }));
      const matched = matchedEntries(before, before.length > 0 ? await withRecordings(wanted) : wanted);
      const { deletesFirst } = optionsOf(given);
      const checked = await inParallel([...wanted], ([key, entry]) =>
        checkEntry(key, entry, matched.get(key)?.inputs, resource, deletesFirst),
      );
      const failures = failuresIn(checked, given, wanted);
      if (!isRecord(given.voices)) return { inputs: news, failures };
      const accepted = checked.map(({ key, inputs }) => {
        return [key, acceptedEntry(given.voices[key], inputs, wanted.get(key)?.inputs.audio)] as const;
      });
      return { inputs: { ...given, voices: Object.fromEntries(accepted) as SetInputs["voices"] }, failures };
    },

    async diff(_id, olds, news, resource) {
      assertWhole(olds);
      const { recovered, needs, steps } = await preview(olds, news, resource);
      const line = stepsLine(steps, settings);
      if (line !== "") log.line(`${resource.name}: ${line}`);
      if (recovered.leftMs > 0) log.line(unknownLine(recovered, resource));
      const cleared = clearedBy(recovered, olds, needs).map((change) => ({ ...change, isOutput: true }));
      const all = [...changesOf(voicesIn(olds), needs), ...cleared];
      // The update looks for what a killed one left, also where nothing is listed.
      if (all.length === 0 && recovered.interruption !== undefined)
        all.push({ path: "leftBehind", kind: "UPDATE", isOutput: true });
      return { replaces: [], updates: all.length > 0, changes: all };
    },

    async create(inputs, resource) {
      await preview(undefined, inputs, resource);
      return { id: resource.name, state: await update.run(undefined, inputs, resource) };
    },

    async update(_id, olds, news, resource) {
      assertWhole(olds);
      return update.run(olds, news, resource);
    },

    async plan(olds, news, resource) {
      const state = olds.instance === undefined ? undefined : (olds as SetState);
      const made = (await preview(state, news, resource)).needs.map(
        ({ key, from, action, wanted }): [string, VoiceOutputs] => {
          if (from !== undefined && action !== "create") return [key, from.state];
          // For a new voice, a preview knows the declared values only.
          return [key, { ...unknownOutputs(wanted.unknown), ...wanted.inputs } as VoiceOutputs];
        },
      );
      const known = { voices: new Map(made), superseded: [], kept: [] };
      const { voices, manifest } = setState(known, { instance: "", updates: 0 });
      return { voices, manifest };
    },

    async read(_id, state, resource) {
      assertWhole(state);
      const { voices, ...others } = voicesIn(state);
      const found = await inParallel([...voices], async ([key, each]) => {
        const read = await voice.read(each.voice, each, entryOf(resource, key));
        return read && ([key, read] as const);
      });
      return setState({ voices: new Map(found.filter((each) => each !== undefined)), ...others }, state);
    },

    async delete(_id, state, resource) {
      assertWhole(state);
      // A destroy calls no `check` that would name the stack, and it needs the log of the set.
      states.learnStack(resource.identity);
      await recovery.begin();
      await update.run(state, undefined, resource);
    },

    import(id) {
      const reason = `the set ${id} can't be imported: it exists in a state only`;
      const advice = "Give its entries `adopt` with the names of the voices to take over.";
      return Promise.reject(new InputError(reason, { advice }));
    },
  };

  /** The hash of a recording is part of an entry's content. */
  async function withRecordings(wanted: ReadonlyMap<string, WantedEntry>) {
    const all = await inParallel([...wanted], async ([key, entry]): Promise<[string, WantedEntry]> => {
      if (entry.inputs.audioSha256 !== undefined) return [key, entry];
      const file = await recordingOf(operation, entry.inputs.audio);
      if (file?.state !== "audio") return [key, entry];
      return [key, { ...entry, inputs: { ...entry.inputs, audioSha256: file.sha256 } }];
    });
    return new Map(all);
  }
}

const optionsOf = ({ deleteBeforeReplace, keepRemoved }: SetInputs) => ({
  deletesFirst: deleteBeforeReplace === true,
  keepsOld: keepRemoved === true,
});

/** The failures of all entries. A problem of the defaults occurs in each entry, and is reported once. */
function failuresIn(
  checked: readonly { key: string; failures: CheckFailure[] }[],
  given: SetInputs,
  wanted: ReadonlyMap<string, WantedEntry>,
): CheckFailure[] {
  const found = checked.flatMap(({ key, failures }) =>
    failures.map(({ property, reason }) => {
      if (property === "") return { property, reason: `${entryPath(key)}: ${reason}` };
      if (isOfDefaults(given, key, property)) return { property: `defaults.${property}`, reason };
      // For a resource, the engine prints the value of the input. For an entry it does not, so add it here.
      const place = property === "audio" ? `${visible(quoted(wanted.get(key)?.inputs.audio))} ` : "";
      return { property: entryPath(key, property), reason: place + reason };
    }),
  );
  const shared = adoptedTwice(wanted).map((problem) => checkFailure(problem));
  return [...shared, ...new Map(found.map((each) => [`${each.property} ${each.reason}`, each])).values()];
}

/** An entry as the engine saves it: as the program gives it, with the facts that the check adds. */
function acceptedEntry(given: unknown, inputs: Partial<CheckedVoice>, audio: unknown): unknown {
  if (!isRecord(given)) return given;
  const added = facts.filter((name) => inputs[name] !== undefined).map((name) => [name, inputs[name]]);
  return { ...given, ...(inputs.audio !== audio && { audio: inputs.audio }), ...Object.fromEntries(added) };
}

/**
 * The voices that an update deletes although no entry of the state has them: superseded ones, and those of a killed
 * update. A preview does not wait, so a voice that may still appear stands there under its preferred name.
 */
function clearedBy({ held, unknown }: Recovered, olds: SetState, needs: readonly Need[]): FieldChange[] {
  const used = new Set(needs.map(({ from }) => from?.state.voice));
  const saved = voicesIn(olds);
  const old = saved.superseded.flatMap(({ state: { voice } }, index) =>
    used.has(voice) ? [] : [`superseded[${index}]`],
  );
  const inState = voiceIds(saved);
  const left = [...voiceIds(held)].filter((voice) => !used.has(voice) && !inState.has(voice));
  const creates = new Set(
    needs.flatMap(({ action, wanted }) => (action === "create" ? [wanted.inputs.preferredName] : [])),
  );
  const unseen = unknown.map(({ inputs }) => inputs.preferredName).filter((name) => !creates.has(name));
  const paths = [...old, ...[...left, ...unseen].map((name) => entryName("leftBehind", name))];
  return paths.map((path) => ({ path, kind: "DELETE" }));
}

function unknownLine({ unknown, leftMs }: Recovered, { name }: SetResource): string {
  const names = someOf(unknown.map(({ key }) => entryName(name, key)));
  return `${name}: it is not known yet whether a killed update created ${names}: the update looks for up to ${Math.ceil(leftMs / 1000)} s`;
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
