import type { AccountState } from "./accounts";
import type { FaultRule } from "./faults";
import type { ImageRules } from "./images";
import type { Action, LedgerEntry, LedgerSummary } from "./ledger";
import type { CallsPerSecond } from "./rate-limits";
import type { VoiceRules } from "./voice-rules";

export interface EmulatorOptions extends Partial<VoiceRules>, Partial<ImageRules> {
  /** The port to listen on. Default: any free port. */
  port?: number;
  /**
   * The address to listen on. Default: 127.0.0.1. If other machines can reach the address, the control routes need a
   * key of the emulator. The emulator is not hardened for use on a network.
   */
  host?: string;
  /**
   * The accounts and their API keys. The first account is the default account. Default: `default` with a random key.
   */
  accounts?: Record<string, string | string[]>;
  /**
   * The file in which the ledger, and with it the accounts, is saved between runs. Only one emulator can use a file at
   * a time.
   */
  file?: string;
  /** The answers of decisions. Default: the first option, true, the highest level. */
  answers?: DecisionAnswers;
  /** The faults that are injected from the start. */
  faults?: FaultRule[];
  /** The seed of the random numbers that decide which calls a fault with `probability` affects. */
  seed?: number;
  /** The clock for the times of voices, image tasks and ledger entries. Default: `Date.now`. */
  now?: () => number;
  /** How long a create takes, in milliseconds. Default: 0. */
  createDelayMs?: number;
  /**
   * The number of accepted calls per second, by action. Further calls get a 429 without `Retry-After`. Default: no
   * limit.
   */
  callsPerSecond?: CallsPerSecond;
}

/** By the id of the question: an option of a `choice`, whether a `noul` is true, a level of a `score`. */
export type DecisionAnswers = Record<string, string | number | boolean>;

export interface Emulator {
  /** The address of the emulator, for example for `CLOUDVOICE_BASE_URL`. */
  url: string;
  /** A key of the first account. */
  apiKey: string;
  /** Every call: its action, status, charge and request id, and what it created or deleted. */
  ledger(): LedgerEntry[];
  /** The number of calls and the cost, of one account or of all. `since`: the index of the first ledger entry to count. */
  summary(account?: string, since?: number): LedgerSummary;
  /** The voices of an account, newest first. Default: the first account. */
  voices(account?: string): AccountState["voices"];
  /** The time of the emulator's clock. */
  time(): Date;
  /** Replaces the faults that are injected. */
  setFaults(rules: FaultRule[], seed?: number): void;
  /** Replaces the limits of calls per second. */
  setCallsPerSecond(limits: CallsPerSecond): void;
  /** The number of calls of this action that are in progress. */
  underWay(action: Action): number;
  /** Keeps calls of this action in progress until the returned function is called. */
  hold(action: Action): () => void;
  /** Replaces the answers of decisions (see the option `answers`). */
  setAnswers(answers: DecisionAnswers): void;
  /** Sets when image tasks end. */
  setImages(rules: Partial<ImageRules>): void;
  /** Adds an API key to an account. Creates the account if it does not exist. */
  giveKey(account: string, key: string): void;
  /** Removes a key, so that the emulator refuses it. */
  revokeKey(key: string): void;
  /** Adds voices to an account without a call and without a charge, as if somebody had created them by hand. */
  seedVoices(
    account: string,
    count: number,
    options?: { preferredName?: string; targetModel?: string; ageMs?: number },
  ): string[];
  /** Removes a voice without a call, as if somebody had deleted it outside Pulumi. */
  vanish(account: string, voice: string): void;
  /** Moves the emulator's clock forward. Throws a `RangeError` for a negative `ms`, or a time after the year 9999. */
  advance(ms: number): void;
  /** Empties the ledger and all accounts. The API keys stay valid. */
  reset(): void;
  /** Stops the emulator. If it has no `file`, its accounts are lost. */
  close(): Promise<void>;
}
