import stableStringify from "safe-stable-stringify";
import * as z from "zod";
import { type InputProblem, problemsWith, replacingValues } from "./inputs";
import { manifestEntry } from "./manifest";
import { isRecord } from "./is-record";
import { unknownNames } from "./nearest-name";
import { namedType, output } from "./outputs";
import { entryName, nameInUrn } from "./resource-types";
import { hashIn, nameOfCopy } from "./naming";
import { splitUnknown, unknownValue } from "./unknown";
import {
  asDeclared,
  type CheckedVoice,
  hasGeneratedName,
  recordingPlace,
  type VoiceOutputs,
  voiceReplacements,
} from "./voice";
import { voiceInputs } from "./voice-inputs";
import { voiceOutputs } from "./voice-outputs";

/* A `VoiceSet`: one resource of the plugin that has many voices, each under a key. */

const voiceType = "cloudvoice:index:CloudVoice";

const { voice, createdAt, audioSha256, audioSeconds, degraded, degradedReason, adopted } = voiceOutputs.shape;

/** The fields of a voice in a set that programs see. */
export const voiceSetEntry = namedType(
  { name: "VoiceSetEntry", description: "A voice of a `VoiceSet`." },
  {
    id: output(z.string(), "The voice's name. The same as `voice`."),
    voice,
    targetModel: output(z.string(), "The synthesis model that the voice is bound to."),
    language: output(z.string().optional(), {
      description: "The language spoken in the recording, if it is declared.",
      type: "Language",
    }),
    ...{ createdAt, audioSha256, audioSeconds, degraded, degradedReason, adopted },
  },
);

type Entry = Record<string, unknown>;

/**
 * The inputs as the program declares them. `check` adds each entry's name, and the hash and length of its recording.
 */
export interface SetInputs {
  voices: Record<string, Entry>;
  defaults?: Entry;
  deleteBeforeReplace?: boolean;
  keepRemoved?: boolean;
}

const setInputNames = ["voices", "defaults", "deleteBeforeReplace", "keepRemoved"];

/** The state of a set. Programs see `voices` and `manifest`. The other fields are for the provider alone. */
export interface SetState {
  // @persisted
  voices: Record<string, Partial<z.infer<typeof voiceSetEntry>>>;
  manifest: Record<string, object>;
  made: Record<string, Partial<VoiceOutputs>>;
  /** The usual values of `account` and `nameVersion`. A voice with another value has that in its entry in `made`. */
  account?: string;
  nameVersion?: number;
  /** Voices that no entry has any more. The next update deletes them. */
  superseded?: HeldVoice[];
  /** Voices that left the set and stay in the account (`keepRemoved`). No later recovery may delete them. */
  released?: string[];
  /** Identifies the set. It stays when the set or its stack gets another name. */
  instance: string;
  /** The number of updates of this instance with a known outcome. */
  updates: number;
}

/** A voice of a set. `key`: the entry that has the voice. Of a superseded voice: the entry that had it. */
export interface HeldVoice {
  key: string;
  state: VoiceOutputs;
}

/** The existing voices of a set, whether or not a program still declares them. */
export interface SetVoices {
  voices: ReadonlyMap<string, VoiceOutputs>;
  superseded: readonly HeldVoice[];
  released: readonly string[];
}

export function onlyEntries(voices: Iterable<readonly [key: string, state: VoiceOutputs]>): SetVoices {
  return { voices: new Map(voices), superseded: [], released: [] };
}

/**
 * The outcome for one voice. `has`: the entry `key` has it. `left`: the voice has left the set. `stays`: it is still in
 * the account. `key` beside `left`: the entry that gives up the voice, while another entry may have adopted it.
 */
export type Outcome = { key: string; has: VoiceOutputs } | { left: string; key?: string; stays?: boolean };

/**
 * The voices of a set after these outcomes. If an entry gets a voice, the entry's former voice is superseded. An entry
 * that had the new voice before no longer has it.
 */
export function afterOutcomes(before: SetVoices, outcomes: readonly Outcome[]): SetVoices {
  const voices = new Map(before.voices);
  const superseded = new Map(before.superseded.map((each) => [each.state.voice, each]));
  const released = new Set(before.released);
  const holderOf = (voice: string) => [...voices.keys()].find((key) => voices.get(key)?.voice === voice);
  const takeAway = (voice: string) => {
    superseded.delete(voice);
    const holder = holderOf(voice);
    if (holder !== undefined) voices.delete(holder);
  };
  for (const outcome of outcomes) {
    if ("left" in outcome) {
      const { key, left, stays } = outcome;
      const holder = holderOf(left);
      if (holder === undefined || holder === (key ?? holder)) takeAway(left);
      if (stays && holderOf(left) === undefined) released.add(left);
      continue;
    }
    const { key, has } = outcome;
    const former = voices.get(key);
    takeAway(has.voice);
    if (former !== undefined && former.voice !== has.voice) superseded.set(former.voice, { key, state: former });
    voices.set(key, has);
    released.delete(has.voice);
  }
  return { voices, superseded: [...superseded.values()], released: [...released] };
}

/** The path of an entry's input, for example `voices.narrator.audio`. */
export function entryPath(key: string, field = ""): string {
  return entryName("voices", key) + (field === "" ? "" : `.${field}`);
}

/** The URN that an entry would have as a `CloudVoice` under the set. It identifies the entry. */
export function entryUrn(setUrn: string, key: string): string {
  // @persisted
  const [urn, project, types] = setUrn.split("::");
  return [urn, project, `${types}$${voiceType}`, entryName(nameInUrn(setUrn), key)].join("::");
}

/** The parts of the path of a property: `voices["a b"].audio` has three. */
export function pathParts(path: string): string[] {
  const parts = path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|[^.[\]]+/g);
  return [...parts].map(([part, quoted]) => (quoted === undefined ? part : (JSON.parse(`"${quoted}"`) as string)));
}

export function ignoredFields(paths: readonly string[], key: string): ReadonlySet<string> {
  const fields = paths.map(pathParts).flatMap(([voices, entry = "*", field = "*"]) => {
    const isOurs = ["voices", "*"].includes(voices ?? "") && ["*", key].includes(entry);
    return isOurs ? [field] : [];
  });
  return new Set(fields);
}

/** The problems of the set's own inputs. The inputs of its entries are not checked here. */
export function setProblems(inputs: object): InputProblem[] {
  const { voices, defaults = {}, ...flags } = inputs as Entry;
  const mustBe = (name: string, isRight: boolean, what: string) =>
    problemsWith(name, isRight ? undefined : `must be ${what}`);
  const isKnownFlag = (value: unknown) => [undefined, unknownValue, true, false].includes(value as boolean);
  const entries = isRecord(voices) ? Object.entries(voices) : [];
  return [
    ...unknownNames(inputs, setInputNames, "an input of VoiceSet").flatMap((reason) => problemsWith("", reason)),
    ...(voices === undefined
      ? problemsWith("voices", "is required")
      : mustBe("voices", isRecord(voices) || voices === unknownValue, "an object of voices")),
    ...mustBe("defaults", isRecord(defaults) || defaults === unknownValue, "an object of inputs"),
    ...["deleteBeforeReplace", "keepRemoved"].flatMap((name) =>
      mustBe(name, isKnownFlag(flags[name]), "true or false"),
    ),
    ...entries.flatMap(([key, entry]) =>
      mustBe(entryPath(key), isRecord(entry) || entry === unknownValue, "an object of inputs"),
    ),
  ];
}

export interface WantedEntry {
  inputs: Partial<CheckedVoice>;
  unknown: ReadonlySet<string>;
}

/**
 * The entries with the inputs that they take from `defaults`. If a whole entry is not known yet, its required inputs
 * are unknown.
 */
export function wantedEntries({ voices, defaults = {} }: SetInputs): Map<string, WantedEntry> {
  const fieldsOf = (object: unknown): Entry =>
    isRecord(object) ? object : { targetModel: unknownValue, audio: unknownValue };
  return new Map(
    (isRecord(voices) ? Object.entries(voices) : []).map(([key, entry]) => {
      const own = Object.entries(fieldsOf(entry)).filter(([, value]) => value !== undefined && value !== null);
      const { known: inputs, unknown } = splitUnknown({ ...fieldsOf(defaults), ...Object.fromEntries(own) });
      return [key, { inputs, unknown }];
    }),
  );
}

export function adoptedTwice(wanted: ReadonlyMap<string, WantedEntry>): InputProblem[] {
  const keys = new Map<string, string>();
  return [...wanted].flatMap(([key, { inputs }]) => {
    if (inputs.adopt === undefined) return [];
    const first = keys.get(inputs.adopt);
    if (first !== undefined)
      return problemsWith(
        entryPath(key, "adopt"),
        `is the voice of the entry ${first} too, and two entries can't share one`,
      );
    keys.set(inputs.adopt, key);
    return [];
  });
}

const publicNames = Object.keys(voiceSetEntry.shape);
/** Fields that are nearly always equal for all voices. Their common values are stored once. */
const shared = ["account", "nameVersion"] as const;
/**
 * Fields that `made` lacks: the state has them elsewhere, or only the log needs them. `voice` is in both records: a
 * program may make the output `voices` secret, and other stacks must still see which voices this stack holds.
 */
const leftOut = [...publicNames.filter((name) => name !== "voice"), "requestId", ...shared];

const savedVoice = z.object({ voice: z.string().regex(/\S/) });
const savedSet = z.object({
  voices: z.record(z.string(), savedVoice),
  made: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  superseded: z.array(z.object({ key: z.string(), state: savedVoice })).optional(),
  released: z.array(z.string()).optional(),
  instance: z.string(),
  updates: z.number(),
});

/** The damaged parts of a set's state. If they were ignored, a voice that can't be read would be forgotten. */
export function damageIn(state: object): string[] {
  const { error } = savedSet.safeParse(state);
  return [
    ...new Set(
      error?.issues.map(({ path: [first, second, third] }) => {
        const isEntry = typeof second === "string";
        return isEntry
          ? entryName(String(first), second) + (third === undefined ? "" : `.${String(third)}`)
          : String(first);
      }),
    ),
  ];
}

/** The voices of a state by their keys, each as the state of a `CloudVoice`. */
export function madeVoices({ voices, made, ...state }: Partial<SetState>): Map<string, VoiceOutputs> {
  const common = commonIn([state]);
  return new Map(
    Object.entries(voices ?? {}).flatMap(([key, entry]) => {
      // A state may be edited.
      if (!isRecord(entry)) return [];
      const { id: _, ...seen } = entry;
      // `setState` has split the state of a voice into these parts.
      return [[key, { ...common, ...made?.[key], ...seen } as VoiceOutputs]];
    }),
  );
}

function commonIn(states: readonly { [name in (typeof shared)[number]]?: unknown }[]): Partial<SetState> {
  const [first] = states;
  if (first === undefined) return {};
  const inAll = shared.filter((name) => states.every((state) => state[name] !== undefined));
  return Object.fromEntries(inAll.map((name) => [name, first[name]]));
}

export function setState(
  { voices, superseded, released }: SetVoices,
  { instance, updates }: Pick<SetState, "instance" | "updates">,
): SetState {
  const all = [...voices].sort(([a], [b]) => (a < b ? -1 : 1));
  const common = commonIn(all.map(([, state]) => state));
  const byKey = <T>(part: (state: VoiceOutputs) => T) =>
    Object.fromEntries(all.map(([key, state]) => [key, part(state)]));
  const pick = (state: object, isWanted: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(state).filter(([name, value]) => value !== undefined && isWanted(name)));
  return {
    voices: byKey((state) => ({ ...pick(state, (name) => publicNames.includes(name)), id: state.voice })),
    manifest: byKey(manifestEntry),
    made: byKey((state) => {
      const own = shared.filter((name) => state[name] !== common[name]) as string[];
      return pick(state, (name) => !leftOut.includes(name) || own.includes(name));
    }),
    ...common,
    ...(superseded.length > 0 && { superseded: [...superseded] }),
    ...(released.length > 0 && { released: [...released] }),
    ...{ instance, updates },
  };
}

export function voicesIn(state: Partial<SetState>): SetVoices {
  return { voices: madeVoices(state), superseded: state.superseded ?? [], released: state.released ?? [] };
}

/** All voices that a set holds, including superseded ones. */
export function heldIn({ voices, superseded }: SetVoices): HeldVoice[] {
  return [...[...voices].map(([key, state]) => ({ key, state })), ...superseded];
}

export function voiceIds(voices: SetVoices): Set<string> {
  return new Set(heldIn(voices).map(({ state }) => state.voice));
}

/** Equal for two entries with equal content, whatever their generated names are. */
export function contentOf(inputs: Partial<CheckedVoice>): string {
  const { preferredName: _, ...unnamed } = inputs;
  const values = replacingValues(voiceInputs, hasGeneratedName(inputs) ? unnamed : inputs);
  const audio = inputs.audioSha256 ?? recordingPlace(inputs);
  return stableStringify([...values, audio].map((value) => value ?? []));
}

/** A voice that an entry may keep. `inputs`: what the voice was made from. `key`: absent if no entry has the voice. */
export interface Candidate {
  key?: string | undefined;
  inputs: Partial<CheckedVoice>;
}

/**
 * Matches wanted entries with existing voices of the same content. `kept`: the voice that an entry keeps: its own
 * voice, or else another voice of the set that no other entry keeps. `replaced`: the old voice of an entry that gets a
 * new voice.
 */
export function matchedEntries<T extends Candidate>(
  candidates: readonly T[],
  wanted: ReadonlyMap<string, WantedEntry>,
): { kept: ReadonlyMap<string, T>; replaced: ReadonlyMap<string, T> } {
  const own = new Map(candidates.flatMap((each) => (each.key === undefined ? [] : [[each.key, each] as const])));
  const kept = new Map<string, T>();
  const replaced = new Map<string, T>();
  const free = new Set(candidates);
  const match = (matched: Map<string, T>, key: string, candidate: T | undefined) => {
    if (candidate !== undefined && free.delete(candidate)) matched.set(key, candidate);
  };
  for (const [key, entry] of wanted) {
    const mine = own.get(key);
    const isSame = mine && voiceReplacements(mine.inputs, entry.inputs, entry.unknown).length === 0;
    if (isSame) match(kept, key, mine);
    else if (isMatchedByKey(entry)) match(replaced, key, mine);
  }
  const byContent = new Map<string, T[]>();
  for (const each of [...free].sort((a, b) => rankOf(a, wanted) - rankOf(b, wanted))) {
    const content = contentOf(each.inputs);
    byContent.set(content, [...(byContent.get(content) ?? []), each]);
  }
  for (const [key, entry] of wanted)
    if (!kept.has(key) && !isMatchedByKey(entry)) match(kept, key, byContent.get(contentOf(entry.inputs))?.shift());
  for (const key of wanted.keys()) if (!kept.has(key)) match(replaced, key, own.get(key));
  return { kept, replaced };
}

/**
 * Whether an entry is matched only by its key: if some values are unknown, they may turn out unchanged, and `adopt`
 * names a voice whose content is not known yet.
 */
const isMatchedByKey = ({ inputs, unknown }: WantedEntry) => unknown.size > 0 || inputs.adopt !== undefined;

/** The order in which voices are matched: voices of removed entries first, and superseded voices last. */
function rankOf({ key }: Candidate, wanted: ReadonlyMap<string, WantedEntry>): number {
  if (key === undefined) return 2;
  return wanted.has(key) ? 1 : 0;
}

/**
 * The inputs of new voices, by their keys. No two voices of the set get the same name: the check gives entries with
 * equal content one name, and here the second entry becomes a copy. `existing`: the inputs of the set's existing
 * voices.
 */
export function namedApart<T extends Partial<CheckedVoice>>(
  existing: Iterable<Partial<CheckedVoice>>,
  created: ReadonlyMap<string, T>,
): Map<string, T> {
  const hashOf = ({ preferredName = "" }: Partial<CheckedVoice>) => hashIn(preferredName);
  // In a state that was read without its secrets, a name may be hidden.
  const isNamed = (inputs: Partial<CheckedVoice>) =>
    hasGeneratedName(inputs) && typeof inputs.preferredName === "string";
  const taken = new Set([...existing].filter(isNamed).map(hashOf));
  const named = new Map(created);
  // Sorted by key, so that the names in a pending operation can be computed again.
  for (const [key, inputs] of [...created].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { preferredName = "" } = inputs;
    if (!isNamed(inputs)) continue;
    let own = inputs;
    for (let copy = 2; taken.has(hashOf(own)); copy++)
      own = { ...inputs, preferredName: nameOfCopy(preferredName, copy), copy };
    taken.add(hashOf(own));
    named.set(key, own);
  }
  return named;
}

interface DescribedSet {
  urn?: string | undefined;
  type: string;
  id?: string | undefined;
  inputs: Entry;
  outputs: Entry;
}

/**
 * Describes the voices of a set as resources of their own, for code that reads states and previews. With `isWanted`,
 * they have the inputs of the set, otherwise the inputs that the voices were made or adopted with.
 */
export function voicesAsResources<T extends DescribedSet>(set: T, setUrn: string, isWanted = false): Map<string, T> {
  const made = madeVoices(set.outputs);
  const wanted = isWanted ? wantedEntries(set.inputs as unknown as SetInputs) : undefined;
  return new Map(
    [...(wanted ?? made).keys()].map((key) => {
      const { voice: id, ...state } = made.get(key) ?? {};
      const entry = wanted?.get(key);
      const inputs = entry ? { ...placeholders(entry.unknown), ...entry.inputs } : asDeclared(state);
      return [key, { ...set, urn: entryUrn(setUrn, key), type: voiceType, id, inputs, outputs: made.get(key) ?? {} }];
    }),
  );
}

const placeholders = (names: ReadonlySet<string>) => Object.fromEntries([...names].map((name) => [name, unknownValue]));
