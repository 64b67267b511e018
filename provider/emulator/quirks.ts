import type { Fields } from "./fields";
import type { Quirk } from "./forms";
import type { Action } from "./ledger";
import { invalid, type Outcome } from "./outcome";

/**
 * With some quirks, the service refuses a request that its interface description allows. Returns this refusal, if any.
 */
export function quirkRefusal(body: unknown, quirks: ReadonlySet<Quirk>): Outcome | undefined {
  const { input } = (body ?? {}) as { input?: { page_size?: unknown } };
  const isLarge = quirks.has("small-pages") && Number(input?.page_size) > 100;
  return isLarge ? invalid("page_size must not exceed 100.") : undefined;
}

export function outcomeWith(outcome: Outcome, action: Action, quirks: ReadonlySet<Quirk>): Outcome {
  const { status, output } = outcome;
  if (status !== 200 || output === undefined) return outcome;
  if (action === "create" && quirks.has("unknown-create")) return { ...outcome, output: { done: true } };
  if (action === "create" && quirks.has("double-count")) return { ...outcome, usage: { count: 2 }, charge: 0.02 };
  if (action !== "decide") return outcome;
  const shifted = ([name, value]: [string, unknown]) =>
    [name, typeof value === "number" && quirks.has("out-of-range") ? value + 5 : value] as const;
  const answers = Object.entries(output.answers as Record<string, Fields>)
    .slice(quirks.has("missing-answer") ? 1 : 0)
    .map(([id, answer]) => [id, Object.fromEntries(Object.entries(answer).map(shifted))] as const);
  return { ...outcome, output: { ...output, answers: Object.fromEntries(answers) } };
}
