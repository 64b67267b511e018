import { voiceCarriesName } from "../rules/naming";
import { nameInUrn } from "../rules/resource-types";
import type { Journal } from "../service/journal/journal";
import type { ListedVoice } from "../service/voices/client";
import { VoiceIndex } from "../service/voices/voice-index";
import type { StackState } from "../stacks/state";
import { leftIn } from "./earlier-runs";
import type { Naming } from "./holder";
import { provenNames } from "./killed-update";
import type { SetLog } from "./set-log";

/** Leaves out voices that `existed` before, and voices that a run has deleted and the list still shows. */
export async function madeSince<T extends { voice: string }>(
  listed: readonly T[],
  existed: readonly string[],
  journal: Pick<Journal, "wasDeleted">,
): Promise<T[]> {
  const before = new Set(existed);
  const deleted = await Promise.all(listed.map(({ voice }) => journal.wasDeleted(voice)));
  return listed.filter(({ voice }, index) => !before.has(voice) && deleted[index] === false);
}

/** A voice of a `VoiceSet` whose first update was killed. No state has the set. */
export interface SetOrphan<T> {
  row: T;
  /** A text for people: the set, and what shows that its update made the voice. */
  evidence: string;
  /**
   * Whether the record is the log of the set, sealed with the key. Otherwise it is a pending operation of the engine,
   * which may be older than voices that left the set on purpose and stay.
   */
  isLogged: boolean;
}

/**
 * The voices of sets whose first update was killed. If the program no longer has such a set, the engine calls no
 * provider for it, and only this function finds its voices. Another stack may hold them.
 */
export async function orphansOfSets<T extends { voice: string; targetModel: string }>(
  listed: readonly T[],
  { stack, pendingUpdates, instances }: Pick<StackState, "stack" | "pendingUpdates" | "instances">,
  log: Pick<SetLog, "instanceOf" | "find">,
  naming: Naming,
): Promise<SetOrphan<T>[]> {
  const orphans = pendingUpdates
    .filter(({ isCreate }) => isCreate)
    .map(async ({ urn, intended }): Promise<SetOrphan<T>[]> => {
      const instance = await log.instanceOf(urn);
      const logged = instance === undefined ? undefined : await log.find(instance);
      if (instance !== undefined && instances.has(instance)) return [];
      // `open` is set if that update has ended. Since then, its voices may have left the set on purpose.
      const isLogged = logged !== undefined && logged !== "damaged" && logged.open === undefined;
      const names = isLogged ? logged.creates.map(({ inputs }) => inputs) : provenNames(intended, stack, naming);
      const before = new Set(isLogged ? logged.existing : []);
      const evidence = `a killed create of ${nameInUrn(urn)} made it (${isLogged ? "its log" : "a pending operation"})`;
      return listed
        .filter(({ voice, targetModel }) =>
          names.some((each) => each.targetModel === targetModel && voiceCarriesName(voice, each.preferredName, true)),
        )
        .filter(({ voice }) => !before.has(voice))
        .map((row) => ({ row, evidence, isLogged }));
    });
  return (await Promise.all(orphans)).flat();
}

/** What a killed first update of a set left, and a new create of the set takes or deletes. */
export interface LeftOfSet {
  urn: string;
  voices: readonly string[];
  /** The preferred names of voices that the list does not show, and may still show. */
  unseen: readonly string[];
  /** The log can't be read. The create then looks for the voices of the engine's pending operations. */
  isUnread?: true;
}

/** Finds what a create of the set with this URN would find (`Recovery` in the provider), without waiting. */
export async function leftOfSet(
  urn: string,
  listed: readonly ListedVoice[],
  own: Pick<StackState, "instances" | "pendingUpdates">,
  log: Pick<SetLog, "ofUnsaved">,
  journal: Pick<Journal, "find" | "wasDeleted">,
): Promise<LeftOfSet> {
  const pendingCreates = own.pendingUpdates.filter((each) => each.isCreate && each.urn === urn).length;
  const logged = await log.ofUnsaved(urn, own, () => pendingCreates);
  if (logged === "damaged") return { urn, voices: [], unseen: [], isUnread: true };
  if (logged === undefined) return { urn, voices: [], unseen: [] };
  const { creates, existing } = logged;
  const rows = new VoiceIndex(listed);
  const left = creates.map(async ({ inputs: { preferredName, targetModel }, note }) => {
    const made = await madeSince(rows.named(preferredName, targetModel), existing, journal);
    const sent = note === undefined ? undefined : await journal.find(note);
    const { isOurs = false, id = "" } = sent ? leftIn(sent) : {};
    const mayAppear = made.length === 0 && isOurs && !existing.includes(id);
    return { voices: made.map(({ voice }) => voice), unseen: mayAppear ? [preferredName] : [] };
  });
  const all = await Promise.all(left);
  const voices = new Set(all.flatMap((each) => each.voices));
  return { urn, voices: [...voices], unseen: all.flatMap(({ unseen }) => unseen) };
}
