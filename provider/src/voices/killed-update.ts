import type { SavedSet, StackState } from "../stacks/state";
import { isNameOfHolder, type Naming } from "./holder";
import type { LoggedCreate, SetLog } from "./set-log";

export type KilledUpdatesOf = Pick<StackState, "stack" | "instances" | "pendingUpdates">;

/** What an update of a set that did not end was about to do. */
export interface KilledUpdate {
  creates: readonly Pick<LoggedCreate["inputs"], "preferredName" | "targetModel">[];
  deletes: readonly string[];
  /** Voices that are not of this update, although they may have the name of a create. */
  existing: readonly string[];
}

/** The killed update of a set that the state has: by its log, or else by the engine's pending operation. */
export async function killedUpdate(
  { stack, pendingUpdates }: KilledUpdatesOf,
  set: SavedSet,
  log: Pick<SetLog, "ofSaved">,
  naming: Naming,
): Promise<KilledUpdate | undefined> {
  const logged = await log.ofSaved(set);
  if (logged !== undefined && logged !== "damaged") {
    const { creates, deletes, existing } = logged;
    return { creates: creates.map(({ inputs }) => inputs), deletes, existing: [...existing, ...set.released] };
  }
  const pending = pendingUpdates.filter(({ urn, isCreate }) => urn === set.urn && !isCreate);
  if (logged === undefined && pending.length === 0) return undefined;
  return {
    creates: pending.flatMap(({ intended }) => provenNames(intended, stack, naming)),
    deletes: set.voices,
    existing: set.released,
  };
}

type Intended = StackState["pendingUpdates"][number]["intended"];

/** Leaves out names that this package would not give the entries: somebody has written them into the state. */
export function provenNames(intended: Intended, stack: string, naming: Naming): Intended {
  return intended.filter(
    ({ urn, inputs, preferredName }) =>
      isNameOfHolder({ urn, stack, madeFrom: inputs }, preferredName, naming) === "yes",
  );
}
