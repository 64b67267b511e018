import type { Stack } from "./stack";

/** The voices of the account. */
export { voicesIn as listed } from "./emulate";

/** The voices that the state holds. */
export const held = async (stack: Stack) => (await stack.resources()).map(({ id }) => id).sort();
