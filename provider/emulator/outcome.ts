import type { Fields } from "./fields";
import type { Action, LedgerEntry } from "./ledger";

/** The result of a call, before it is put into the form of a response. */
export interface Outcome {
  status: number;
  code?: string;
  message?: string;
  output?: Record<string, unknown>;
  usage?: Record<string, unknown>;
  /** US dollars. */
  charge?: number;
  /** The change of the account, for the ledger. */
  effect?: Pick<LedgerEntry, "voice" | "deleted" | "task" | "tokens">;
}

export function invalid(message: string): Outcome {
  // zod puts each issue on its own line, behind a cross.
  return { status: 400, code: "InvalidParameter", message: message.replace(/\s*\n\s*/g, " ").replace(/^✖ /, "") };
}

/** The response as it is sent. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The refusal of a request that this service does not accept, although its interface description allows it. */
export function quirkRefusal(body: unknown, quirks: ReadonlySet<string>): Outcome | undefined {
  const { input } = (body ?? {}) as { input?: { page_size?: unknown } };
  const isLarge = quirks.has("small-pages") && Number(input?.page_size) > 100;
  return isLarge ? invalid("page_size must not exceed 100.") : undefined;
}

export function outcomeWith(outcome: Outcome, action: Action, quirks: ReadonlySet<string>): Outcome {
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
