import type { LedgerEntry } from "./ledger";

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

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}
