import { createHash, timingSafeEqual } from "node:crypto";
import type { RunningTask } from "./images";
import type { Ledger, LedgerEntry, VoiceRow } from "./ledger";

export interface AccountState {
  name: string;
  /** The voices, newest first, in the order in which the service lists them. */
  voices: VoiceRow[];
}

/** The accounts with their API keys, voices and image tasks. Keys are stored as hashes. */
export class Accounts {
  private readonly keys = new Map<string, string>();
  private readonly voices = new Map<string, Map<string, VoiceRow>>();
  /** The tasks of all accounts, by id. Any account may look up a task whose id it knows. */
  readonly tasks = new Map<string, RunningTask>();

  constructor(ledger: Ledger) {
    for (const entry of ledger.entries) this.apply(entry);
  }

  /** Adds a key to an account. During a key rotation, an account has two keys. */
  giveKey(account: string, key: string): void {
    this.keys.set(hashOf(key), account);
  }

  revokeKey(key: string): void {
    this.keys.delete(hashOf(key));
  }

  ofKey(key: string): string | undefined {
    const hash = Buffer.from(hashOf(key));
    for (const [keyHash, account] of this.keys) {
      if (timingSafeEqual(Buffer.from(keyHash), hash)) return account;
    }
    return undefined;
  }

  voicesOf(account: string): Map<string, VoiceRow> {
    let voices = this.voices.get(account);
    if (!voices) this.voices.set(account, (voices = new Map<string, VoiceRow>()));
    return voices;
  }

  all(): Iterable<[account: string, voices: ReadonlyMap<string, VoiceRow>]> {
    return this.voices;
  }

  withVoice(voice: string): string | undefined {
    return [...this.voices].find(([, voices]) => voices.has(voice))?.[0];
  }

  state(account: string): AccountState {
    return { name: account, voices: [...this.voicesOf(account).values()].reverse() };
  }

  apply({ account, voice, deleted, task, at }: Omit<LedgerEntry, "action" | "requestId">): void {
    if (task && !this.tasks.has(task.taskId)) {
      this.tasks.set(task.taskId, { ...task, submittedMs: Date.parse(at), polls: 0 });
    }
    if (voice) this.voicesOf(account).set(voice.voice, voice);
    if (deleted !== undefined) this.voicesOf(account).delete(deleted);
  }

  /** Removes the voices and tasks of every account. The keys stay valid. */
  clear(): void {
    this.voices.clear();
    this.tasks.clear();
  }
}

function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
