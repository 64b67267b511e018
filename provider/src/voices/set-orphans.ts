import { voiceCarriesName } from "../rules/naming";
import { nameInUrn } from "../rules/resource-types";
import type { StackState } from "../stacks/state";
import { isNameOfHolder, type Naming } from "./holder";
import type { SetLog } from "./set-log";

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
      const proven = intended.filter(
        (each) => isNameOfHolder({ urn: each.urn, stack, madeFrom: each.inputs }, each.preferredName, naming) === "yes",
      );
      const names = isLogged ? logged.creates.map(({ inputs }) => inputs) : proven;
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
