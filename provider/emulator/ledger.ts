import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { assertRegularFile } from "./regular-file";

/** One call, or one action of the controls, and everything that it changed. */
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
  /** The fault that was injected into this call. */
  fault?: string;
  voice?: VoiceRow;
  deleted?: string;
  task?: TaskRow;
  /** The input tokens of a decision. */
  tokens?: number;
}

export const actions = ["create", "list", "delete", "submit", "poll", "download", "decide"] as const;
export type Action = (typeof actions)[number] | "control" | "unknown";

export interface VoiceRow {
  voice: string;
  targetModel: string;
  /** In the format of the service: `2025-08-11 17:59:32`. */
  gmtCreate: string;
  preferredName: string;
  /** Absent in the files of older releases. */
  createdMs?: number;
  language?: string;
  audioSha256?: string;
}

export interface TaskRow {
  taskId: string;
  size: string;
  n: number;
  /** A hash of model and prompt, which determines the image. The prompt can be secret, so it is not saved. */
  seed: string;
  /** How the task ends. */
  fate: Fate;
}
export type Fate = "SUCCEEDED" | "FAILED" | "CANCELED" | "UNKNOWN" | "PARTIAL" | "ARCHIVED";

export interface LedgerSummary {
  calls: Partial<Record<Action, number>>;
  /** The number of voices that were created and billed. */
  voicesBilled: number;
  /** The number of image tasks that were submitted. */
  tasks: number;
  images: number;
  /** The input tokens of all decisions. */
  tokens: number;
  /** US dollars, rounded to cents. Voices only: prices of image tasks and decisions are unknown. */
  charge: number;
}

/**
 * Everything that happened, in order: the state of every account follows from it. With a file, each entry is a line of
 * the file, which is read at the next start.
 */
export class Ledger {
  readonly entries: LedgerEntry[] = [];

  constructor(private readonly file: string | undefined) {
    if (file === undefined) return;
    assertRegularFile(file);
    // Fail now if the file can't be written, not at the first call.
    appendFileSync(file, "");
    for (const line of readFileSync(file, "utf8").split("\n")) {
      const entry = parse(line);
      if (entry) this.entries.push(entry);
    }
    // A killed process can leave half a line. Begin a new one.
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
