import type { LedgerEntry } from "./ledger";

/** The result of a call, before a dialect gives it the form of a response. */
export interface Outcome {
  status: number;
  code?: string;
  message?: string;
  output?: Record<string, unknown>;
  usage?: Record<string, unknown>;
  /** The charge in US dollars. */
  charge?: number;
  /** The changes to the account, which the ledger records. */
  effect?: Pick<LedgerEntry, "voice" | "deleted" | "task" | "tokens">;
}

export function invalid(message: string): Outcome {
  // Zod writes each issue on a line of its own that begins with ✖. Join the lines.
  return { status: 400, code: "InvalidParameter", message: message.replace(/\s*\n\s*/g, " ").replace(/^✖ /, "") };
}

/** The HTTP response to a call. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}
