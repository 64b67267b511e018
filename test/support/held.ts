import type { Emulator } from "../../provider/emulator";
import type { Stack } from "./stack";

/** The voices of the account. */
export const listed = (emulator: Emulator) =>
  emulator
    .voices()
    .map(({ voice }) => voice)
    .sort();

/** What the resources of the state hold, by their names. */
export async function heldBy(stack: Stack): Promise<Record<string, string | undefined>> {
  const entries = (await stack.resources()).map(({ urn, id }) => [urn.split("::").at(-1) ?? "", id] as const);
  return Object.fromEntries(entries);
}

/** The voices that the state holds. */
export const held = async (stack: Stack) => (await stack.resources()).map(({ id }) => id).sort();
