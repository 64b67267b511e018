import type { Prices } from "../../../rules/price";
import { createdBySet } from "../../../rules/preview-lines";
import {
  entryPath,
  ignoredFields,
  type SetInputs,
  renamedEntries,
  type WantedEntry,
  wantedEntries,
  withNameOf,
} from "../../../rules/voice-set";
import { asDeclared, type CheckedVoice, type VoiceOutputs, voiceUpdates } from "../../../rules/voice";
import type { Lifecycle } from "../lifecycle";
import { entryOf, inParallel, type SetResource } from "./entry";

export type VoiceLifecycle = Lifecycle<CheckedVoice, VoiceOutputs>;

export interface EntryStep {
  key: string;
  /** `same` and `update` keep the voice, at no cost. */
  action: "create" | "replace" | "update" | "same";
  /** The voice that the set has for the entry, and its key there. */
  from?: { key: string; state: VoiceOutputs } | undefined;
  wanted: WantedEntry;
  /** The inputs that differ. */
  fields: readonly string[];
}

export interface SetSteps {
  entries: EntryStep[];
  /** Keys that the program no longer has, and whose voices no other entry keeps. */
  removed: string[];
}

export interface FieldChange {
  path: string;
  kind: "ADD" | "DELETE" | "UPDATE";
  /** The path is one of the outputs, and no input differs. */
  isOutput?: boolean;
}

/** Plans the step for each entry. The life cycle of a voice judges the change of its entry. */
export function setPlanner(voice: VoiceLifecycle) {
  return async (
    made: ReadonlyMap<string, VoiceOutputs>,
    news: SetInputs,
    resource: SetResource,
    /** The keys whose voices no longer exist. */
    missing: ReadonlySet<string> = new Set(),
  ): Promise<SetSteps> => {
    const wanted = wantedEntries(news);
    const declared = new Map([...made].map(([key, state]) => [key, asDeclared(state)]));
    const renamed = renamedEntries(declared, wanted);
    const deletesFirst = news.deleteBeforeReplace === true;
    const entries = await inParallel([...wanted], async ([key, given]): Promise<EntryStep> => {
      const oldKey = made.has(key) ? key : renamed.get(key);
      const state = oldKey === undefined ? undefined : made.get(oldKey);
      if (oldKey === undefined || state === undefined || missing.has(oldKey))
        return { key, action: "create", wanted: given, fields: [] };
      const entry = withIgnored(given, asDeclared(state), ignoredFields(resource.ignored, key));
      const inputs = withNameOf(asDeclared(state), entry.inputs);
      const resourceOfEntry = entryOf(resource, key, { deletesFirst });
      const { replaces } = await voice.diff(state.voice, state, inputs as CheckedVoice, resourceOfEntry, entry.unknown);
      const updates = voiceUpdates(state, inputs, entry.unknown);
      const isRenamed = oldKey !== key;
      const action = replaces.length > 0 ? "replace" : isRenamed || updates.length > 0 ? "update" : "same";
      // A replacement uses the name that was generated for the new content.
      const used = action === "replace" ? entry : { ...entry, inputs };
      return {
        key,
        action,
        from: { key: oldKey, state },
        wanted: used,
        fields: [...new Set([...replaces, ...updates])],
      };
    });
    const kept = new Set(entries.map(({ from }) => from?.key));
    return { entries, removed: [...made.keys()].filter((key) => !kept.has(key) && !missing.has(key)) };
  };
}

export type SetPlanner = ReturnType<typeof setPlanner>;

/** The engine ignores a change of the path. Other bytes under the same path are ours to ignore. */
function withIgnored({ inputs, unknown }: WantedEntry, made: Partial<CheckedVoice>, ignored: ReadonlySet<string>) {
  const isIgnored = ["audio", "audioSha256", "*"].some((field) => ignored.has(field));
  if (!isIgnored || made.audio === undefined) return { inputs, unknown };
  const { audio, audioSha256, audioSeconds } = made;
  return { inputs: { ...inputs, audio, audioSha256, audioSeconds } as Partial<CheckedVoice>, unknown };
}

/** The changes that the engine shows: new and removed entries as wholes, and the fields that differ. */
export function changesOf({ entries, removed }: SetSteps): FieldChange[] {
  const changes = entries.flatMap(({ key, action, from, wanted: { inputs, unknown }, fields }): FieldChange[] => {
    if (action === "same") return [];
    if (from === undefined || from.key !== key) return [{ path: entryPath(key), kind: "ADD" }];
    const { state } = from;
    return fields.map((field) => {
      const isNew = !(field in state);
      const isGone = !(field in inputs) && !unknown.has(field);
      return { path: entryPath(key, field), kind: isNew ? "ADD" : isGone ? "DELETE" : "UPDATE" };
    });
  });
  const moved = entries.flatMap(({ key, from }) => (from && from.key !== key ? [from.key] : []));
  return [...changes, ...[...removed, ...moved].map((key) => ({ path: entryPath(key), kind: "DELETE" as const }))];
}

/**
 * What an update does and costs, in a line. The engine shows a rename as a new and a removed entry, and no price. Empty
 * if nothing is paid or renamed.
 */
export function stepsLine({ entries, removed }: SetSteps, prices: Prices): string {
  const paid = entries.filter(
    ({ action, wanted }) => /create|replace/.test(action) && wanted.inputs.adopt === undefined,
  );
  const renamed = entries.flatMap(({ key, from, action }) =>
    from !== undefined && from.key !== key && action !== "create" ? [`${from.key} to ${key}`] : [],
  );
  const parts = [
    paid.length > 0 && createdBySet.write(paid.length, prices),
    renamed.length > 0 && `renamed at no cost: ${renamed.slice(0, 5).join(", ")}${renamed.length > 5 ? ", …" : ""}`,
    removed.length > 0 && `${removed.length} removed`,
  ];
  return paid.length + renamed.length === 0 ? "" : parts.filter((part) => part !== false).join("; ");
}
