import type { LedgerEntry } from "./ledger";

/** The result of a call, before a dialect gives it the form of a response. */
export interface Outcome {
  status: number;
  code?: string;
  message?: string;
  output?: Record<string, unknown>;
  usage?: Record<string, unknown>;
  /** US dollars. */
  charge?: number;
  /** How the call changes the account. The ledger records it. */
  effect?: Pick<LedgerEntry, "voice" | "deleted" | "task" | "tokens">;
}

export function invalid(message: string): Outcome {
  // Zod puts each issue on a line of its own, behind a cross.
  return { status: 400, code: "InvalidParameter", message: message.replace(/\s*\n\s*/g, " ").replace(/^✖ /, "") };
}

/** The HTTP response to a call. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}
