import type { StateReader } from "../../provider/src/stacks/states";

/** The states of a project with one stack that has no resources. */
export function emptyStates(stack: string): StateReader {
  const stacks = () => Promise.resolve([stack]);
  const state = { stack, holders: [], pendingCreates: [], ids: new Set<string>() };
  return { stack: () => Promise.resolve(state), stacks, allStacks: stacks };
}
