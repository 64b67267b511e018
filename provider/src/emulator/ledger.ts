import { appendFileSync, readFileSync, writeFileSync } from "node:fs";

/** One call, or one act through the control routes, and all that it changed. */
export interface LedgerEntry {
  /** ISO 8601, UTC. */
  at: string;
  account: string;
  action: Action;
  status: number;
  /** US dollars. */
  charge: number;
  requestId: string;
  code?: string;
  /** The fault that was played on this call. */
  fault?: string;
  voice?: VoiceRow;
  deleted?: string;
  task?: TaskRow;
  /** Of a decision. */
  tokens?: number;
}

export const actions = ["create", "list", "delete", "submit", "poll", "download", "decide"] as const;
export type Action = (typeof actions)[number] | "control" | "unknown";

export interface VoiceRow {
  voice: string;
  targetModel: string;
  /** As the service writes it: `2025-08-11 17:59:32`. */
  gmtCreate: string;
  preferredName: string;
  language?: string;
  audioSha256?: string;
}

export interface TaskRow {
  taskId: string;
  size: string;
  n: number;
  /** Stands for model and prompt, which may be secret and are not kept. */
  seed: string;
  /** How the task is to end. */
  fate: Fate;
}
export type Fate = "SUCCEEDED" | "FAILED" | "CANCELED" | "UNKNOWN" | "PARTIAL" | "ARCHIVED";

export interface LedgerSummary {
  calls: Partial<Record<Action, number>>;
  /** Billed creations of voices. */
  voicesBilled: number;
  /** Tasks submitted, and the images they were to make. */
  tasks: number;
  images: number;
  /** Input tokens of decisions. */
  tokens: number;
  /** US dollars, to the cent. The contract prices voices only. */
  charge: number;
}

/**
 * All that happened, in order; the state of every account is what the ledger adds up to. With a file it is kept there, a line an
 * entry, and read again at the next start.
 */
export class Ledger {
  readonly entries: LedgerEntry[] = [];

  constructor(private readonly file: string | undefined) {
    if (file === undefined) return;
    // A place that can't be written is told now, and not at the first call.
    appendFileSync(file, "");
    for (const line of readFileSync(file, "utf8").split("\n")) {
      const entry = parse(line);
      if (entry) this.entries.push(entry);
    }
    // A process that was killed may have left half a line.
    appendFileSync(file, "\n");
  }

  add(entry: LedgerEntry): void {
    this.entries.push(entry);
    if (this.file !== undefined) appendFileSync(this.file, `${JSON.stringify(entry)}\n`);
  }

  clear(): void {
    this.entries.length = 0;
    if (this.file !== undefined) writeFileSync(this.file, "");
  }

  summary(account?: string, since = 0): LedgerSummary {
    const summary: LedgerSummary = { calls: {}, voicesBilled: 0, tasks: 0, images: 0, tokens: 0, charge: 0 };
    for (const entry of this.entries.slice(since)) {
      if (entry.action === "control" || (account !== undefined && entry.account !== account)) continue;
      summary.calls[entry.action] = (summary.calls[entry.action] ?? 0) + 1;
      if (entry.voice) summary.voicesBilled++;
      if (entry.task) summary.tasks++;
      summary.images += entry.task?.n ?? 0;
      summary.tokens += entry.tokens ?? 0;
      summary.charge += entry.charge;
    }
    return { ...summary, charge: Math.round(summary.charge * 100) / 100 };
  }
}

function parse(line: string): LedgerEntry | undefined {
  try {
    return line.trim() === "" ? undefined : (JSON.parse(line) as LedgerEntry);
  } catch {
    return undefined;
  }
}
