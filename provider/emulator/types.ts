import type { AccountState } from "./accounts";
import type { FaultRule } from "./faults";
import type { ImageRules } from "./images";
import type { Action, LedgerEntry, LedgerSummary } from "./ledger";
import type { Quirk } from "./forms";
import type { CallsPerSecond } from "./rate-limits";
import type { VoiceRules } from "./voice-rules";

export interface EmulatorOptions extends Partial<VoiceRules>, Partial<ImageRules> {
  /** The port to listen on. Default: any free port. */
  port?: number;
  /**
   * The address to listen on. Default: 127.0.0.1. On an address that other machines can reach, the control routes need
   * a key of the emulator. The emulator is not hardened for use on a network.
   */
  host?: string;
  /** The accounts and their API keys; the first account is the default one. Default: `default` with a random key. */
  accounts?: Record<string, string | string[]>;
  /** A file that saves the ledger, and so the accounts, between runs. Only one emulator can use it at a time. */
  file?: string;
  /** How responses nest their fields: the service is known to use both forms. Default: `nested`. */
  answers?: "nested" | "flat";
  /**
   * A seed for the parts of responses that the service's description leaves open: names, nesting, states, statuses,
   * errors. The same seed gives the same responses. Default: the form of `answers`.
   */
  dialect?: number;
  /**
   * Adds control characters, markup, mentions and links to each text, and a million characters with `long`. Default:
   * `false`.
   */
  hostile?: boolean | "long";
  /** The faults to inject from the start. */
  faults?: FaultRule[];
  /** The seed of the random numbers that decide which calls a fault with a `probability` affects. */
  seed?: number;
  /** The clock for the timestamps of voices, image tasks and ledger entries. Default: `Date.now`. */
  now?: () => number;
  /** How long a create takes. Default: 0. */
  createDelayMs?: number;
  /** The accepted calls per second, by action. Others get a 429 without `Retry-After`. Default: all are accepted. */
  callsPerSecond?: CallsPerSecond;
  /** Forms of responses that the service may also use (docs/service.md), for example `null-list`. Default: none. */
  quirks?: Quirk[];
}

export interface Emulator {
  /** The address, for example for `CLOUDVOICE_BASE_URL`. */
  url: string;
  /** A key of the first account. */
  apiKey: string;
  /** Every call: its action, status, charge, request id, and what it created or deleted. */
  ledger(): LedgerEntry[];
  /** The calls and the cost, of one account or of all. `since`: the index of the first ledger entry that counts. */
  summary(account?: string, since?: number): LedgerSummary;
  /** The voices of an account, newest first. Default: the first account. */
  voices(account?: string): AccountState["voices"];
  /** Sets another dialect, or none without a seed. Returns its differences, for people. */
  setDialect(seed?: number): string;
  /** The time of the emulator's clock. */
  time(): Date;
  /** Replaces the faults to inject. */
  setFaults(rules: FaultRule[], seed?: number): void;
  /** Replaces the limits of calls a second. */
  setCallsPerSecond(limits: CallsPerSecond): void;
  /** Replaces the forms of responses that the service may also use. */
  setQuirks(quirks: Quirk[]): void;
  /** The number of calls of this action that are in progress. */
  underWay(action: Action): number;
  /** Keeps calls of this action in progress until the returned function is called. */
  hold(action: Action): () => void;
  /** Changes how image tasks progress. */
  setImages(rules: Partial<ImageRules>): void;
  /** Adds an API key to an account, which is created if it does not exist. */
  giveKey(account: string, key: string): void;
  /** Makes the emulator refuse the key. */
  revokeKey(key: string): void;
  /** Adds voices to an account without a call and without a charge, as if someone had created them by hand. */
  seedVoices(
    account: string,
    count: number,
    options?: { preferredName?: string; targetModel?: string; ageMs?: number },
  ): string[];
  /** Removes a voice without a call, as if someone had deleted it outside Pulumi. */
  vanish(account: string, voice: string): void;
  /** Moves the emulator's clock forward, to the year 9999 at the latest. Throws a `RangeError` otherwise. */
  advance(ms: number): void;
  /** Empties the ledger and all accounts. The API keys stay valid. */
  reset(): void;
  /** Ends the emulator. Without a `file`, its accounts are lost. */
  close(): Promise<void>;
}
