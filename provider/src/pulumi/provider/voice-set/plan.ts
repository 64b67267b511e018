import { firstOf } from "../../../rules/first-of";
import type { Prices } from "../../../rules/price";
import { createdBySet } from "../../../rules/preview-lines";
import {
  type Candidate,
  entryPath,
  type HeldVoice,
  ignoredFields,
  matchedEntries,
  type SetInputs,
  type SetVoices,
  type WantedEntry,
  wantedEntries,
  withNameOf,
} from "../../../rules/voice-set";
import {
  asDeclared,
  type CheckedVoice,
  type VoiceOutputs,
  voiceReplacements,
  voiceUpdates,
} from "../../../rules/voice";

/** What an entry needs, before the order of the work is known. */
export interface Need {
  key: string;
  /** `same` and `update` keep the voice `from`, at no cost. */
  action: "create" | "update" | "same";
  /** The voice of the set that the entry keeps. For a create, the one that it replaces. */
  from?: HeldVoice | undefined;
  /** With the generated name of the voice that it keeps. `given`: with the one that the check has made. */
  wanted: WantedEntry;
  given: WantedEntry;
  /** An existing voice of the account that the create will take, at no cost. */
  takes?: string | undefined;
}

/** One step of an update. Steps of a turn run at the same time, and those of a chain one after the other. */
export type Step = {
  key: string;
  turn: number;
  chain: string;
  /** Places in the account, and new voices to pay for. */
  needs: 0 | 1;
  frees: 0 | 1;
  cost: 0 | 1;
} & ({ action: "keep" | "create"; need: Need } | ({ action: "delete"; state: VoiceOutputs } & Reason));

interface Reason {
  why: "replaced" | "removed" | "superseded";
  /** Before the creates: because the account has no room, or with `deleteBeforeReplace`. */
  first?: "for room" | "as declared";
  /** Only if nothing failed that may replace the voice. */
  isLast?: boolean;
}

export interface PlanOptions {
  deletesFirst: boolean;
  /** Old voices stay in the account, so they free no place. */
  keepsOld: boolean;
  /** The places that are free in the account. */
  room: number;
}

/** The voices that the entries may have: of each key, and superseded ones. */
export function candidatesIn({ voices, superseded }: SetVoices): (Candidate & { held: HeldVoice })[] {
  const candidate = (held: HeldVoice, key?: string) => ({ key, inputs: asDeclared(held.state), held });
  return [
    ...[...voices].map(([key, state]) => candidate({ key, state }, key)),
    ...superseded.map((held) => candidate(held)),
  ];
}

/** What each entry of the program needs. `ignored`: the paths in `ignoreChanges`. */
export function needsOf(held: SetVoices, news: SetInputs, ignored: readonly string[]): Need[] {
  const given = [...wantedEntries(news)].map(([key, entry]): [string, WantedEntry] => {
    const own = held.voices.get(key);
    return [key, own ? withIgnored(entry, asDeclared(own), ignoredFields(ignored, key)) : entry];
  });
  const wanted = new Map(given);
  const matched = matchedEntries(candidatesIn(held), wanted);
  return given.map(([key, entry]) => {
    const from = matched.get(key)?.held;
    if (from === undefined) return { key, action: "create", wanted: entry, given: entry };
    const made = asDeclared(from.state);
    const kept = { ...entry, inputs: withNameOf(made, entry.inputs) };
    // A replacement uses the name that was generated for the new content.
    if (voiceReplacements(made, kept.inputs, entry.unknown).length > 0)
      return { key, action: "create", from, wanted: entry, given: entry };
    const isSame = from.key === key && voiceUpdates(from.state, kept.inputs, entry.unknown).length === 0;
    return { key, action: isSame ? "same" : "update", from, wanted: kept, given: entry };
  });
}

/** The engine ignores a change of the path. Other bytes under the same path are ours to ignore. */
function withIgnored(entry: WantedEntry, made: Partial<CheckedVoice>, ignored: ReadonlySet<string>): WantedEntry {
  const isIgnored = ["audio", "audioSha256", "*"].some((field) => ignored.has(field));
  if (!isIgnored || made.audio === undefined) return entry;
  const { audio, audioSha256, audioSeconds } = made;
  return { ...entry, inputs: { ...entry.inputs, audio, audioSha256, audioSeconds } };
}

/**
 * The steps of an update in their order. In an account without room for old and new voices, as many old ones as
 * necessary go first: those that no entry has, and then those that are replaced, one after the other.
 */
export function stepsOf(
  { voices, superseded }: SetVoices,
  needs: readonly Need[],
  { deletesFirst, keepsOld, room }: PlanOptions,
): Step[] {
  const used = new Set(needs.map(({ from }) => from?.state.voice));
  const removed = [...voices].filter(([, { voice }]) => !used.has(voice)).map(([key, state]) => ({ key, state }));
  const creates = needs.filter(({ action }) => action === "create");
  // E.g. after a kill amid the replacement of an adopted voice, whose program was then reverted.
  const awaited = new Set(creates.flatMap(({ takes, wanted }) => takes ?? wanted.inputs.adopt ?? []));
  const isAwaited = ({ state }: HeldVoice) => awaited.has(state.voice);
  const unused = superseded.filter((each) => !used.has(each.state.voice) && !isAwaited(each));
  const paid = creates.filter(({ takes }) => takes === undefined);
  const replacing = paid.filter(({ from }) => from !== undefined);
  const goFirst = deletesFirst ? replacing : [];
  const missing = keepsOld ? 0 : Math.max(0, paid.length - goFirst.length - room - unused.length);
  const removedFirst = removed.filter((each) => !isAwaited(each)).slice(0, missing);
  const oneByOne = deletesFirst ? [] : replacing.slice(0, missing - removedFirst.length);
  const early = new Set([...goFirst, ...oneByOne]);
  const later = creates.filter((need) => !early.has(need));

  const frees = keepsOld ? 0 : 1;
  const none = { needs: 0, frees: 0, cost: 0 } as const;
  const keep = (need: Need): Step => ({ ...none, key: need.key, chain: need.key, turn: 0, action: "keep", need });
  const create = (need: Need, turn: number): Step => {
    const count = need.takes === undefined ? 1 : 0;
    return { key: need.key, chain: need.key, turn, action: "create", need, needs: count, frees: 0, cost: count };
  };
  const drop = ({ key, state }: HeldVoice, turn: number, reason: Reason, chain = key): Step => {
    return { ...none, frees, key, chain, turn, action: "delete", state, ...reason };
  };
  const replaced = ({ key, from }: Need, turn: number, first?: Reason["first"]): Step[] =>
    from === undefined ? [] : [drop(from, turn, { why: "replaced", ...(first && { first }) }, key)];
  const last = 4 + oneByOne.length;
  return [
    ...needs.filter(({ action }) => action !== "create").map(keep),
    // No entry waits for these: a failure of one concerns no other step.
    ...unused.filter((each) => !isAwaited(each)).map((each) => drop(each, 1, { why: "superseded" }, each.state.voice)),
    ...removedFirst.map((each) => drop(each, 2, { why: "removed", first: "for room" })),
    ...goFirst.flatMap((need) => [...replaced(need, 3, "as declared"), create(need, 3)]),
    ...oneByOne.flatMap((need, index) => [...replaced(need, 4 + index, "for room"), create(need, 4 + index)]),
    ...later.map((need) => create(need, last)),
    ...later.flatMap((need) => replaced(need, last + 1)),
    ...removed
      .filter((each) => !removedFirst.includes(each))
      .map((each) => drop(each, last + 2, { why: "removed", isLast: true })),
  ];
}

export interface FieldChange {
  path: string;
  kind: "ADD" | "DELETE" | "UPDATE";
  /** The path is one of the outputs, and no input differs. */
  isOutput?: boolean;
}

/** The changes that the engine shows: new and removed entries as wholes, and the fields that differ from the state. */
export function changesOf(saved: SetVoices, needs: readonly Need[]): FieldChange[] {
  const changes = needs.flatMap(({ key, action, from, wanted: { inputs, unknown } }): FieldChange[] => {
    const state = saved.voices.get(key);
    if (state === undefined) return [{ path: entryPath(key), kind: "ADD" }];
    const made = asDeclared(state);
    const compared = withNameOf(made, inputs);
    const fields = [...voiceReplacements(made, compared, unknown), ...voiceUpdates(state, compared, unknown)];
    // Another voice, although the content is the same.
    const isOther = fields.length === 0 && (action === "create" || from?.state.voice !== state.voice);
    return [...new Set(isOther ? ["preferredName"] : fields)].map((field) => {
      const isGone = !(field in inputs) && !unknown.has(field);
      return { path: entryPath(key, field), kind: !(field in state) ? "ADD" : isGone ? "DELETE" : "UPDATE" };
    });
  });
  const wanted = new Set(needs.map(({ key }) => key));
  const removed = [...saved.voices.keys()].filter((key) => !wanted.has(key));
  return [...changes, ...removed.map((key) => ({ path: entryPath(key), kind: "DELETE" as const }))];
}

/**
 * What an update does and costs, in a line. The engine shows a rename as a new and a removed entry, a replacement as a
 * changed field, and no price. Empty if nothing is paid or renamed.
 */
export function stepsLine(steps: readonly Step[], prices: Prices): string {
  const paid = steps.filter(({ cost }) => cost > 0);
  const renamed = steps.flatMap((step) => {
    if (step.action !== "keep") return [];
    const { key, from } = step.need;
    return from !== undefined && from.key !== key ? [`${from.key} to ${key}`] : [];
  });
  const replaced = steps.flatMap((step) => (step.action === "create" && step.need.from ? [step.key] : []));
  const removed = steps.filter((step) => step.action === "delete" && step.why === "removed");
  const parts = [
    ...(paid.length > 0 ? [createdBySet.write(paid.length, prices)] : []),
    ...(replaced.length > 0 ? [replacedText(replaced, steps)] : []),
    ...(renamed.length > 0 ? [`renamed at no cost: ${firstOf(renamed)}`] : []),
    ...(removed.length > 0 ? [`${removed.length} removed`] : []),
  ];
  return paid.length + renamed.length === 0 ? "" : parts.join("; ");
}

function replacedText(keys: readonly string[], steps: readonly Step[]): string {
  const old = steps.flatMap((step) => (step.action === "delete" && step.why === "replaced" ? [step] : []));
  const how = old.some(({ frees }) => frees === 0)
    ? "created, and the old one stays in the account"
    : old.every(({ first }) => first !== undefined)
      ? "the old one deleted, then created"
      : "created, then the old one deleted";
  return `${keys.length === 1 ? "1 voice is" : `${keys.length} voices are`} replaced (${how}): ${firstOf(keys)}`;
}

/** The line about old voices that make room, if any do. */
export function roomLine(steps: readonly Step[]): string | undefined {
  const old = steps.flatMap((step) => (step.action === "delete" && step.why !== "superseded" ? [step] : []));
  const first = old.filter((step) => step.first === "for room");
  if (first.length === 0) return undefined;
  return (
    `the account has no room for old and new voices: ${first.length} of ${old.length} old ones are deleted before ` +
    "new ones are created, one after the other"
  );
}
