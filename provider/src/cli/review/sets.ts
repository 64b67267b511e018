import { inputsThat } from "../../rules/inputs";
import { hasClonedShape, nameOfVoice } from "../../rules/naming";
import { isVoiceSet, nameInUrn } from "../../rules/resource-types";
import { isRecord } from "../../rules/is-record";
import { secretText } from "../../rules/rights";
import { splitUnknown } from "../../rules/unknown";
import { visible } from "../../rules/visible";
import { type CheckedVoice, type VoiceOutputs, voiceReplacements, voiceUpdates } from "../../rules/voice";
import { voiceInputs } from "../../rules/voice-inputs";
import {
  entryUrn,
  matchedEntries,
  namedApart,
  pathParts,
  voicesAsResources,
  type WantedEntry,
  wantedEntries,
  type SetInputs,
} from "../../rules/voice-set";
import { isReplacedOnDemand } from "../../voices/holder";
import type { Described, Step } from "./step";

export function isSetStep({ oldState, newState }: Step): boolean {
  return isVoiceSet((newState ?? oldState)?.type ?? "");
}

export function isEntryOfSet(urn: string): boolean {
  return urn.includes("VoiceSet$");
}

/** Splits the step of a `VoiceSet` into a step for each of its voices. Returns any other step as it is. */
export function voicesOfStep(step: Step): Step[] {
  const { op, urn, oldState, newState, replaceReasons } = step;
  if (!isSetStep(step)) return [step];
  const olds = oldState ? voicesAsResources(withNames(oldState), oldState.urn ?? urn) : new Map<string, Described>();
  if (hidesEntries(step) || op === "same")
    return [...olds].map(([key, old]) => ({ op: "same", urn: entryUrn(urn, key), oldState: old, newState: old }));
  const news = newState ? voicesAsResources(newState, urn, true) : new Map<string, Described>();
  if (op === "update") return voicesOfUpdate(step, olds, news);
  // Entries with equal content have one name until the update names their copies.
  const named = namedApart([], new Map([...news].map(([key, { inputs }]) => [key, inputs])));
  const kept = op === "replace" ? keptInReplace(step, olds) : new Map<string, string>();
  return [...new Set([...news.keys(), ...olds.keys()])].map((key) => {
    const [old, entry] = [olds.get(key), news.get(key)];
    const asNew = entry && { ...entry, inputs: named.get(key) ?? entry.inputs };
    // A replacement of the set creates its added entries, and deletes the voices of its removed entries.
    const opOfEntry = op !== "replace" ? op : asNew === undefined ? "delete" : old === undefined ? "create" : op;
    const gets = { newState: asNew, keeps: kept.get(key) };
    return { op: opOfEntry, urn: entryUrn(urn, key), replaceReasons, oldState: old, ...gets };
  });
}

/** By key: the voices that a new set keeps of the set that it replaces (voice-set/replaced.ts in the provider). */
function keptInReplace({ oldState, newState }: Step, olds: ReadonlyMap<string, Described>): Map<string, string> {
  if (oldState?.delete !== true || isReplacedOnDemand(oldState)) return new Map();
  const candidates = [...olds].map(([key, { inputs, id }]) => ({ key, inputs, id }));
  const { kept } = matchedEntries(candidates, wantedEntries((newState?.inputs ?? {}) as unknown as SetInputs));
  return new Map([...kept].flatMap(([key, { id }]) => (id === undefined ? [] : [[key, id] as const])));
}

function voicesOfUpdate(
  step: Step,
  olds: ReadonlyMap<string, Described>,
  news: ReadonlyMap<string, Described>,
): Step[] {
  const { urn, newState } = step;
  const inputs = (newState?.inputs ?? {}) as unknown as SetInputs;
  const wanted = wantedEntries(inputs);
  // The provider reports in the detailed diff what the state does not show (voice-set/set-lifecycle.ts).
  const paths = Object.keys(step.detailedDiff ?? {}).map(pathParts);
  const recovered = recoveredIn(paths);
  const { served, former } = formerEntries(olds, wanted, recovered);
  const going = oldStateOf(inputs);
  const made = [...olds.values()].map((old) => old.inputs as Partial<CheckedVoice>);
  const created = [...news].flatMap(([key, entry]) => (served.has(key) ? [] : [[key, entry.inputs] as const]));
  const named = namedApart([...made, ...namesOf(recovered, news)], new Map(created));
  const entries = [...news].map(([key, entry]): Step => {
    const from = former.get(key);
    const old = from === undefined ? undefined : olds.get(from);
    const known = wanted.get(key);
    const asNew = withDependencies({ ...entry, inputs: named.get(key) ?? entry.inputs }, known, newState);
    const isMoved = from !== undefined && from !== key;
    const gets = { urn: entryUrn(urn, key), newState: asNew, recovered: isMoved ? undefined : recovered.get(key) };
    if (from === undefined || old === undefined || known === undefined) return { op: "create", ...gets };
    const reported = fieldsReported(paths, key);
    const opOnOwn = recovered.has(key) ? "replace" : operationOn(old.inputs, known, reported);
    const op = isMoved ? "update" : opOnOwn;
    const renamedFrom = isMoved ? nameInUrn(entryUrn(urn, from)) : undefined;
    return { op, ...gets, replaceReasons: reported, renamedFrom, oldState: op === "replace" ? going(old) : old };
  });
  const used = new Set(former.values());
  const removed = [...olds].filter(([key]) => !used.has(key));
  return [
    ...entries,
    ...leftBehindIn(paths, urn, inputs.keepRemoved === true),
    ...removed.map(([key, old]) => ({ op: "delete", urn: entryUrn(urn, key), oldState: going(old) })),
  ];
}

/**
 * Matches the entries of the program with the entries of the state. `served`: the entries that need no new voice.
 * `former`: by key, the entry of the state whose voice an entry keeps or replaces.
 */
function formerEntries(
  olds: ReadonlyMap<string, Described>,
  wanted: ReadonlyMap<string, WantedEntry>,
  recovered: ReadonlyMap<string, string>,
): { served: ReadonlySet<string>; former: ReadonlyMap<string, string> } {
  const keyOf = new Map([...olds].map(([key, { id }]) => [id, key]));
  const former = new Map<string, string>();
  for (const [key, voice] of recovered) {
    const from = keyOf.get(voice);
    if (from !== undefined) former.set(key, from);
  }
  const taken = new Set(former.values());
  // An entry with a recovered voice has given up its old voice, so another entry may keep the old voice.
  const candidates = [...olds]
    .filter(([from]) => !taken.has(from))
    .map(([from, { inputs }]) => ({ key: recovered.has(from) ? undefined : from, from, inputs }));
  const { kept, replaced } = matchedEntries(candidates, new Map([...wanted].filter(([key]) => !recovered.has(key))));
  for (const [key, { from }] of [...kept, ...replaced]) former.set(key, from);
  const used = new Set(former.values());
  for (const key of recovered.keys()) if (olds.has(key) && !used.has(key) && !former.has(key)) former.set(key, key);
  return { served: new Set([...kept.keys(), ...recovered.keys()]), former };
}

/** By key: the voices that entries keep although no entry of the state has them (`recovered`). */
function recoveredIn(paths: string[][]): Map<string, string> {
  return new Map(
    paths.flatMap(([property, key, voice]) =>
      property === "recovered" && key !== undefined && voice !== undefined ? [[key, voice] as const] : [],
    ),
  );
}

/** The names of recovered voices, which no new voice may get. */
function namesOf(
  recovered: ReadonlyMap<string, string>,
  news: ReadonlyMap<string, Described>,
): Partial<CheckedVoice>[] {
  return [...recovered].map(([key, voice]) => ({ ...news.get(key)?.inputs, preferredName: nameOfVoice(voice) }));
}

/** Restores the output `voices`, which may be secret, from the output `made` and the old inputs. */
function withNames(state: Described): Described {
  const { voices, made } = state.outputs;
  if (isRecord(voices) || !isRecord(made)) return state;
  const declared = wantedEntries(state.inputs as unknown as SetInputs);
  const named = Object.entries(made).map(([key, entry]) => {
    const { voice } = entry as Partial<VoiceOutputs>;
    return [key, { ...declared.get(key)?.inputs, voice }] as const;
  });
  return { ...state, outputs: { ...state.outputs, voices: Object.fromEntries(named) } };
}

/** Whether the entries in the program, or the voices in the state, are secret. A preview shows `[secret]` for them. */
function hidesEntries({ oldState, newState }: Step): boolean {
  const isHidden = (entries: unknown) =>
    typeof entries === "string" || (isRecord(entries) && Object.values(entries).includes(secretText));
  return (
    typeof newState?.inputs.defaults === "string" ||
    isHidden(newState?.inputs.voices) ||
    isHidden(oldState && withNames(oldState).outputs.voices)
  );
}

/** Returns an error for each set whose changes the review can't list, because the set's entries are secret. */
export function hiddenEntries(steps: readonly Step[]): string[] {
  const hidden = steps.filter((step) => isSetStep(step) && step.op !== "same" && hidesEntries(step));
  return hidden.map(
    ({ urn }) =>
      `the entries of ${visible(nameInUrn(urn))} are secret, so the review can't list what changes. ` +
      "Make the secret fields of the entries secret, and not the entries themselves",
  );
}

/** Returns an error for each set that the engine updates for a reason that the review does not know. */
export function unexplainedSets(sets: readonly string[], changes: readonly { urn: string }[]): string[] {
  const isOf = (set: string) => {
    const [start] = entryUrn(set, "key").split(/\.key$/);
    return ({ urn }: { urn: string }) => urn === set || urn.startsWith(`${start}.`) || urn.startsWith(`${start}[`);
  };
  return sets
    .filter((set) => !changes.some(isOf(set)))
    .map((set) => `the update changes ${visible(nameInUrn(set))} in a way that this review does not know`);
}

/** Returns steps that delete what a killed update of the set left behind, as the provider reports it. */
function leftBehindIn(paths: string[][], urn: string, retained: boolean): Step[] {
  return paths.flatMap(([property, name]): Step[] => {
    if (property !== "leftBehind") return [];
    if (name === undefined) return [{ op: "update", urn, leftBehind: "unknown" }];
    return [leftBehindStep(urn, name, hasClonedShape(name) ? "voice" : "name", retained)];
  });
}

/** A step by which a set deletes a voice that a killed update left, or, if it is `retained`, leaves it. */
export function leftBehindStep(set: string, name: string, leftBehind: "voice" | "name", retained: boolean): Step {
  const oldState = {
    ...{ type: "cloudvoice:index:CloudVoice", inputs: {}, outputs: {}, id: name },
    ...{ delete: true, external: false, retainOnDelete: retained },
  };
  return { op: "delete", urn: entryUrn(set, name), leftBehind, oldState };
}

/** Marks an old voice as the engine does: `delete` if it is deleted last, `retainOnDelete` if it stays. */
function oldStateOf({ deleteBeforeReplace, keepRemoved }: SetInputs) {
  return (old: Described): Described => ({
    ...old,
    delete: deleteBeforeReplace !== true,
    retainOnDelete: keepRemoved === true,
  });
}

function fieldsReported(paths: string[][], key: string): string[] {
  return paths.flatMap(([property, entry, field]) => (property === "voices" && entry === key && field ? [field] : []));
}

/** Whether a field looks the same before and after. Two secrets always do: a preview shows them as the same text. */
function isEqual(made: object, inputs: object, field: string): boolean {
  const [before, after] = [made, inputs].map((each) => JSON.stringify(each[field as keyof typeof each]));
  return before === after;
}

function operationOn(made: Partial<CheckedVoice>, { inputs, unknown }: WantedEntry, reported: string[]): Step["op"] {
  const replacing = [...inputsThat("replaces", voiceInputs), "audioSha256"];
  // The provider reports `preferredName` in two cases: the entry gets another voice for a reason that no input shows
  // (e.g. another stack holds the voice too), or its generated name is different (e.g. in a copied state).
  const isOther = reported.includes("preferredName");
  const isReported = reported.some((field) => replacing.includes(field) && isEqual(made, inputs, field));
  if (isOther || isReported || voiceReplacements(made, inputs, unknown).length > 0) return "replace";
  return reported.length > 0 || voiceUpdates(made, inputs, unknown).length > 0 ? "update" : "same";
}

/** Adds dependencies to an entry: an unknown input may come from any resource whose outputs the set takes. */
function withDependencies(entry: Described, wanted: WantedEntry | undefined, set: Step["newState"]): Described {
  const sources = [...new Set(Object.values(set?.propertyDependencies ?? {}).flatMap((urns) => urns ?? []))];
  const { unknown } = splitUnknown(entry.inputs);
  const fields = [...unknown, ...(wanted?.unknown ?? [])];
  return { ...entry, propertyDependencies: Object.fromEntries(fields.map((field) => [field, sources])) };
}
