import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { assertRegularFile } from "./regular-file";

/** A call, or an action of the controls, with all changes that it made. */
export interface LedgerEntry {
  /** The time in ISO 8601, UTC. */
  at: string;
  account: string;
  action: Action;
  status: number;
  /** The charge in US dollars. */
  charge: number;
  requestId: string;
  code?: string;
  /** The kind of the fault that affected this call. */
  fault?: string;
  voice?: VoiceRow;
  deleted?: string;
  task?: TaskRow;
  /** The number of input tokens of a decision. */
  tokens?: number;
}

export const actions = ["create", "list", "delete", "submit", "poll", "download", "decide"] as const;
export type Action = (typeof actions)[number] | "control" | "unknown";

export interface VoiceRow {
  voice: string;
  targetModel: string;
  /** The creation time in the service's format: `2025-08-11 17:59:32`. */
  gmtCreate: string;
  preferredName: string;
  /** The creation time in milliseconds since 1970. Absent in files of older releases. */
  createdMs?: number;
  language?: string;
  audioSha256?: string;
}

export interface TaskRow {
  taskId: string;
  size: string;
  n: number;
  /**
   * A hash of model and prompt, which determines the images. The prompt itself is not saved, because it can be secret.
   */
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
  /** The total number of input tokens of all decisions. */
  tokens: number;
  /**
   * The total charge in US dollars, rounded to cents. It covers voices only, because the prices of image tasks and
   * decisions are not known.
   */
  charge: number;
}

/**
 * The record of everything that happened, in order. The state of every account follows from it. If the ledger has a
 * file, each entry is a line of it, and the next start reads the file.
 */
export class Ledger {
  readonly entries: LedgerEntry[] = [];

  constructor(private readonly file: string | undefined) {
    if (file === undefined) return;
    assertRegularFile(file);
    // If the file can't be written, fail now and not at the first call.
    appendFileSync(file, "");
    for (const line of readFileSync(file, "utf8").split("\n")) {
      const entry = parse(line);
      if (entry) this.entries.push(entry);
    }
    // The file may end with an incomplete line, e.g. after a kill. Begin a new line.
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
