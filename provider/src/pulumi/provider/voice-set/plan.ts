import { firstOf } from "../../../rules/first-of";
import type { Prices } from "../../../rules/price";
import { createdBySet } from "../../../rules/preview-lines";
import {
  entryPath,
  type HeldVoice,
  heldIn,
  ignoredFields,
  matchedEntries,
  namedApart,
  type SetInputs,
  type SetVoices,
  voicesIn,
  type WantedEntry,
  wantedEntries,
} from "../../../rules/voice-set";
import { keepIgnoredRecording } from "../recording";
import { asDeclared, type VoiceOutputs, voiceReplacements, voiceUpdates } from "../../../rules/voice";

/** Which voice an entry of the program gets. */
export interface PlannedEntry {
  key: string;
  wanted: WantedEntry;
  /** The voice of the set that has the entry's content. Absent if a new voice is created. */
  keeps?: HeldVoice | undefined;
  /** The old voice of the entry, which the new voice replaces. */
  replaces?: HeldVoice | undefined;
  /** An existing voice of the account, which the create takes at no cost instead of creating a voice. */
  takes?: string | undefined;
}

/**
 * One step of an update. The turns run one after the other, and the chains of a turn concurrently. The steps of a chain
 * run one after the other.
 */
export type Step = KeepingStep | CreatingStep | LeavingStep;

interface Placed {
  key: string;
  turn: number;
  chain: string;
}

export interface KeepingStep extends Placed {
  action: "keep";
  entry: PlannedEntry;
  keeps: HeldVoice;
}

export interface CreatingStep extends Placed {
  action: "create";
  entry: PlannedEntry;
}

/** A voice leaves the set. It is deleted, or `keepRemoved` releases it: it stays in the account. */
export interface LeavingStep extends Placed {
  action: "delete" | "release";
  state: VoiceOutputs;
  why: "replaced" | "removed" | "superseded";
  /** Present if the voice leaves before the creates: because the account has no room, or by `deleteBeforeReplace`. */
  first?: "for room" | "as declared";
  /** Skip this step if a step has failed whose voice might replace this one. */
  isLast?: boolean;
}

export const isLeaving = (step: Step): step is LeavingStep => "state" in step;

export const isPaid = (step: Step) => step.action === "create" && step.entry.takes === undefined;

/**
 * `ignored`: the paths in `ignoreChanges`. `replaced`: the voices of the set that a new set replaces. The new set may
 * keep them, and deletes none of them: the engine deletes the old set after it.
 */
export function plannedEntries(
  held: SetVoices,
  news: SetInputs,
  ignored: readonly string[],
  replaced = voicesIn({}),
): PlannedEntry[] {
  const current = new Map([...replaced.voices, ...held.voices]);
  const wanted = wantedEntries(news);
  const compared = new Map(
    [...wanted].map(([key, entry]): [string, WantedEntry] => {
      const own = asDeclared(current.get(key) ?? {});
      return [key, { ...entry, inputs: keepIgnoredRecording(own, entry.inputs, ignoredFields(ignored, key)) }];
    }),
  );
  const own = heldIn(held);
  // If an entry still adopts its voice, the create adopts the voice again.
  const adopted = new Set([...wanted.values()].map(({ inputs }) => inputs.adopt));
  const ofReplaced = heldIn(replaced).filter(({ state }) => !adopted.has(state.voice));
  const candidates = [...own, ...ofReplaced].map((each) => {
    const isCurrent = current.get(each.key) === each.state;
    return { key: isCurrent ? each.key : undefined, inputs: asDeclared(each.state), held: each };
  });
  const matched = matchedEntries(candidates, compared);
  return [...wanted].map(([key, entry]) => {
    const keeps = matched.kept.get(key)?.held;
    const replaces = matched.replaced.get(key)?.held;
    // A new voice is made from the recording of the program: the old one may no longer exist.
    return {
      key,
      wanted: (keeps && compared.get(key)) ?? entry,
      keeps,
      replaces: replaces && own.includes(replaces) ? replaces : undefined,
    };
  });
}

/** Gives each new voice a name that none of the voices in `held` has. */
export function withOwnNames(held: readonly HeldVoice[], entries: readonly PlannedEntry[]): PlannedEntry[] {
  const created = entries.flatMap(({ key, keeps, wanted }) =>
    keeps === undefined ? [[key, wanted.inputs] as const] : [],
  );
  const states = held.map(({ state }) => state);
  const named = namedApart(states, new Map(created));
  return entries.map((entry) => {
    const { key, wanted } = entry;
    return { ...entry, wanted: { ...wanted, inputs: named.get(key) ?? wanted.inputs } };
  });
}

/**
 * The steps of an update in their order. `room`: how many more voices fit in the account. Superseded voices always
 * leave before the creates. If the old and the new voices do not fit together, as many old voices as necessary are
 * deleted early: first voices of removed entries, then replaced voices. Each such replacement ends before the next one
 * begins.
 */
export function stepsOf(
  { voices, superseded }: SetVoices,
  entries: readonly PlannedEntry[],
  { deleteBeforeReplace, keepRemoved }: Pick<SetInputs, "deleteBeforeReplace" | "keepRemoved">,
  room: number,
): Step[] {
  const creates = entries.filter(({ keeps }) => keeps === undefined);
  const used = new Set(entries.map(({ keeps, replaces }) => (keeps ?? replaces)?.state.voice));
  // Voices of the set that a create takes. E.g. a run was killed while it replaced an adopted voice, and then the
  // program was reverted: the entry adopts its old voice again.
  const awaited = new Set(creates.flatMap(({ takes, wanted }) => takes ?? wanted.inputs.adopt ?? []));
  const isAwaited = ({ state }: HeldVoice) => awaited.has(state.voice);
  const unused = superseded.filter((each) => !used.has(each.state.voice) && !isAwaited(each));
  const removed = [...voices].flatMap(([key, state]) => (used.has(state.voice) ? [] : [{ key, state }]));
  const paid = creates.filter(({ takes }) => takes === undefined);
  const replacing = paid.filter(({ replaces }) => replaces !== undefined);
  const goFirst = deleteBeforeReplace ? replacing : [];
  const missing = keepRemoved ? 0 : Math.max(0, paid.length - goFirst.length - room - unused.length);
  const removedFirst = removed.filter((each) => !isAwaited(each)).slice(0, missing);
  const oneByOne = deleteBeforeReplace ? [] : replacing.slice(0, missing - removedFirst.length);
  const later = creates.filter((entry) => !goFirst.includes(entry) && !oneByOne.includes(entry));

  const create = (entry: PlannedEntry, turn: number): Step => {
    return { action: "create", key: entry.key, chain: entry.key, turn, entry };
  };
  const leave = (
    { key, state }: HeldVoice,
    turn: number,
    reason: Omit<LeavingStep, keyof Placed | "action" | "state">,
    chain = key,
  ): Step => {
    return { action: keepRemoved ? "release" : "delete", key, chain, turn, state, ...reason };
  };
  const replace = ({ key, replaces }: PlannedEntry, turn: number, first?: LeavingStep["first"]): Step[] =>
    replaces === undefined ? [] : [leave(replaces, turn, { why: "replaced", ...(first && { first }) }, key)];
  const last = 4 + oneByOne.length;
  return [
    ...entries.flatMap((entry): Step[] => {
      const { key, keeps } = entry;
      return keeps === undefined ? [] : [{ action: "keep", key, chain: key, turn: 0, entry, keeps }];
    }),
    // Each superseded voice is a chain of its own: if its delete fails, no other step is skipped.
    ...unused.map((each) => leave(each, 1, { why: "superseded" }, each.state.voice)),
    ...removedFirst.map((each) => leave(each, 2, { why: "removed", first: "for room" })),
    ...goFirst.flatMap((entry) => [...replace(entry, 3, "as declared"), create(entry, 3)]),
    ...oneByOne.flatMap((entry, index) => [...replace(entry, 4 + index, "for room"), create(entry, 4 + index)]),
    ...later.map((entry) => create(entry, last)),
    ...later.flatMap((entry) => replace(entry, last + 1)),
    ...removed
      .filter((each) => !removedFirst.includes(each))
      .map((each) => leave(each, last + 2, { why: "removed", isLast: true })),
  ];
}

export interface FieldChange {
  path: string;
  kind: "ADD" | "DELETE" | "UPDATE";
  /** `path` belongs to the outputs: no input differs. */
  isOutput?: boolean;
}

/** The changes that the engine shows: new and removed entries as wholes, and the fields that differ from the state. */
export function changesOf(saved: SetVoices, entries: readonly PlannedEntry[]): FieldChange[] {
  const changes = entries.flatMap(({ key, keeps, wanted: { inputs, unknown } }): FieldChange[] => {
    const state = saved.voices.get(key);
    if (state === undefined) return [{ path: entryPath(key), kind: "ADD" }];
    const fields = [...voiceReplacements(asDeclared(state), inputs, unknown), ...voiceUpdates(state, inputs, unknown)];
    const getsOtherVoice = fields.length === 0 && keeps?.state.voice !== state.voice;
    return [...new Set(getsOtherVoice ? ["preferredName"] : fields)].map((field) => {
      const isAbsent = !(field in inputs) && !unknown.has(field);
      return { path: entryPath(key, field), kind: !(field in state) ? "ADD" : isAbsent ? "DELETE" : "UPDATE" };
    });
  });
  const wanted = new Set(entries.map(({ key }) => key));
  const removed = [...saved.voices.keys()].filter((key) => !wanted.has(key));
  return [...changes, ...removed.map((key) => ({ path: entryPath(key), kind: "DELETE" as const }))];
}

/**
 * What an update does and costs, in a line. The engine shows a rename as a new and a removed entry, a replacement as a
 * changed field, and no price. Empty if nothing is paid or renamed.
 */
export function stepsLine(steps: readonly Step[], prices: Prices): string {
  const paid = steps.filter(isPaid);
  const renamed = steps.flatMap((step) =>
    step.action === "keep" && step.keeps.key !== step.key ? [`${step.keeps.key} to ${step.key}`] : [],
  );
  const replaced = steps.flatMap((step) => (step.action === "create" && step.entry.replaces ? [step.key] : []));
  const removed = steps.filter((step) => isLeaving(step) && step.why === "removed");
  if (paid.length + renamed.length === 0) return "";
  return [
    ...(paid.length > 0 ? [createdBySet.write(paid.length, prices)] : []),
    ...(replaced.length > 0 ? [replacedText(replaced, steps)] : []),
    ...(renamed.length > 0 ? [`renamed at no cost: ${firstOf(renamed)}`] : []),
    ...(removed.length > 0 ? [`${removed.length} removed`] : []),
  ].join("; ");
}

function replacedText(keys: readonly string[], steps: readonly Step[]): string {
  const old = steps.filter(isLeaving).filter(({ why }) => why === "replaced");
  const how = old.some(({ action }) => action === "release")
    ? "created, and the old one stays in the account"
    : old.every(({ first }) => first !== undefined)
      ? "the old one deleted, then created"
      : "created, then the old one deleted";
  return `${keys.length === 1 ? "1 voice is" : `${keys.length} voices are`} replaced (${how}): ${firstOf(keys)}`;
}

export function roomLine(steps: readonly Step[]): string | undefined {
  const old = steps.filter(isLeaving).filter(({ why }) => why !== "superseded");
  const first = old.filter((step) => step.first === "for room");
  if (first.length === 0) return undefined;
  const oneByOne = first.filter(({ why }) => why === "replaced").length;
  return (
    `the account has no room for the old and the new voices together: ${first.length} of ${old.length} old voices ` +
    "are deleted before new voices are created" +
    (oneByOne > 0 ? `, and ${oneByOne} of these are replaced one at a time` : "")
  );
}
