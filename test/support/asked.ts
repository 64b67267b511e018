import type { Run } from "../../tools/stack";
import { questionsIn } from "./questions-in";
import type { Stack } from "./stack";

/** Expects that the run stops with one question, of this kind. Returns the stack with the answer yes. */
export async function asked(stack: Stack, kind: string, run: Promise<Run>): Promise<Stack> {
  const { code, output } = await run;
  const ids = [...questionsIn(output)];
  expect([code === 0, ids, output]).toEqual([false, [expect.stringMatching(`^${kind}-`)], expect.anything()]);
  return stack.with({ CLOUDVOICE_ACCEPT: ids.join() });
}
