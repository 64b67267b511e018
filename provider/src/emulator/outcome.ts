import type { LedgerEntry } from "./ledger";

/** What the service answers, before its form is chosen; `effect` is what it does to the account and is written in the ledger. */
export interface Outcome {
  status: number;
  code?: string;
  message?: string;
  output?: Record<string, unknown>;
  usage?: Record<string, unknown>;
  /** US dollars. */
  charge?: number;
  effect?: Pick<LedgerEntry, "voice" | "deleted" | "task" | "tokens">;
}

export function invalid(message: string): Outcome {
  return { status: 400, code: "InvalidParameter", message: message.replace(/\s*\n\s*/g, " ").replace(/^✖ /, "") };
}
