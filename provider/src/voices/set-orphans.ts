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

/** A voice that a killed update of a `VoiceSet` made. No state has the set. */
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

/** What an update was about to create, by its log or by a pending operation. */
interface Begun {
  set: string;
  names: readonly { preferredName: string; targetModel: string }[];
  existing: readonly string[];
  isLogged: boolean;
}

/**
 * The voices of killed updates of sets that no state has. If the program no longer has such a set, the engine calls no
 * provider for it, and only this function finds its voices. Another stack may hold them. `everywhere` reads all states
 * of the backend: a set that moved to another stack recovers its voices there.
 */
export async function orphansOfSets<T extends { voice: string; targetModel: string }>(
  listed: readonly T[],
  own: Pick<StackState, "stack" | "holders" | "pendingUpdates" | "instances">,
  log: Pick<SetLog, "instanceOf" | "find" | "unended">,
  naming: Naming,
  everywhere: () => Promise<readonly Pick<StackState, "instances">[]>,
): Promise<SetOrphan<T>[]> {
  const held = new Set(own.holders.map(({ voice }) => voice));
  const begun = [...(await inLogs(own, log, everywhere)), ...(await inPendingOperations(own, log, naming))];
  return begun.flatMap(({ set, names, existing, isLogged }) => {
    const evidence = `a killed create of ${set} made it (${isLogged ? "its log" : "a pending operation"})`;
    const isNamed = ({ voice, targetModel }: T) =>
      names.some((each) => each.targetModel === targetModel && voiceCarriesName(voice, each.preferredName, true));
    return listed
      .filter((row) => isNamed(row) && !existing.includes(row.voice) && !held.has(row.voice))
      .map((row) => ({ row, evidence, isLogged }));
  });
}

/** The logs remain without a pending operation: e.g. only the provider was killed, or a refresh cleared the operation. */
async function inLogs(
  { stack }: Pick<StackState, "stack">,
  log: Pick<SetLog, "unended">,
  everywhere: () => Promise<readonly Pick<StackState, "instances">[]>,
): Promise<Begun[]> {
  const logged = await log.unended(stack);
  const states = logged.length > 0 ? await everywhere() : [];
  const unsaved = logged.filter(({ instance }) => !states.some(({ instances }) => instances.has(instance)));
  return unsaved.map(({ name, creates, existing }) => {
    return { set: name, names: creates.map(({ inputs }) => inputs), existing, isLogged: true };
  });
}

/** The pending creates of sets without a log, or with a log of an update that has ended. */
async function inPendingOperations(
  { stack, pendingUpdates, instances }: Pick<StackState, "stack" | "pendingUpdates" | "instances">,
  log: Pick<SetLog, "instanceOf" | "find">,
  naming: Naming,
): Promise<Begun[]> {
  const creates = pendingUpdates.filter(({ isCreate }) => isCreate);
  const begun = creates.map(async ({ urn, intended }): Promise<Begun[]> => {
    const instance = await log.instanceOf(urn);
    if (instance !== undefined && instances.has(instance)) return [];
    const logged = instance === undefined ? undefined : await log.find(instance);
    // `open` is set if that update has ended. Since then, its voices may have left the set on purpose.
    if (logged !== undefined && logged !== "damaged" && logged.open === undefined) return [];
    const names = provenNames(intended, stack, naming);
    return [{ set: nameInUrn(urn), names, existing: [], isLogged: false }];
  });
  return (await Promise.all(begun)).flat();
}

/** What a killed update of a set left, and a create or a replacement of the set takes or deletes. */
export interface LeftOfSet {
  urn: string;
  voices: readonly string[];
  /** The preferred names of voices that the list does not show, and may still show. */
  unseen: readonly string[];
  /** The log can't be read. The create then looks for the voices of the engine's pending operations. */
  isUnread?: true;
}

/** Finds what a create or a replacement of the set would find (`Recovery` in the provider), without waiting. */
export async function leftOfSet(
  urn: string,
  listed: readonly ListedVoice[],
  own: Pick<StackState, "stack" | "instances" | "pendingUpdates">,
  log: Pick<SetLog, "ofUnsaved" | "ofSaved">,
  journal: Pick<Journal, "find" | "wasDeleted">,
): Promise<LeftOfSet> {
  const pendingCreates = own.pendingUpdates.filter((each) => each.isCreate && each.urn === urn).length;
  // A set that the state has recovers its killed update when its replacement deletes it.
  const replaced = [...own.instances.values()].find((set) => set.urn === urn);
  const logged = (await log.ofUnsaved(urn, own, () => pendingCreates)) ?? (replaced && (await log.ofSaved(replaced)));
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
