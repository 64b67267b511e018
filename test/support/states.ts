import { stateOf } from "../../provider/src/stacks/state";
import type { StateReader } from "../../provider/src/stacks/states";

/** The states of a project with one stack that has no resources. */
export function emptyStates(stack: string): StateReader {
  const stacks = () => Promise.resolve([stack]);
  const state = stateOf(stack, {});
  const backend = () => Promise.resolve(`the backend of ${stack}`);
  return { stack: () => Promise.resolve(state), stacks, allStacks: stacks, backend };
}
