import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Accounts } from "./accounts";
import { Faults } from "./faults";
import { type Dialect, drawDialect, flatDialect, nestedDialect, type Quirk } from "./forms";
import type { ImageRules } from "./images";
import { type Action, Ledger, type LedgerEntry } from "./ledger";
import { RateLimits } from "./rate-limits";
import type { TestOptions } from "./test-options";
import { createdMsOf, VoiceNames } from "./voice-names";
import type { DecisionAnswers } from "./types";
import type { VoiceRules } from "./voice-rules";

const latestMs = Date.UTC(10_000, 0);
const yearMs = 365 * 24 * 3600 * 1000;

/** The state of one emulator. Several emulators in one process do not share any state. */
export class EmulatorState {
  readonly ledger: Ledger;
  readonly accounts: Accounts;
  readonly faults: Faults;
  readonly rateLimits: RateLimits;
  readonly quirks: ReadonlySet<Quirk>;
  readonly voiceRules: VoiceRules;
  readonly imageRules: ImageRules;
  answers: DecisionAnswers;
  readonly voiceNames = new VoiceNames();
  readonly dialect: Dialect;
  readonly createDelayMs: number;
  readonly firstAccount: string;
  readonly apiKey: string;
  readonly inProgress = new Map<Action, number>();
  readonly held = new Map<Action, Promise<void>>();
  /** The emulator's address, which the URLs of images contain. Set when the server listens. */
  url = "";
  private readonly closing = new AbortController();
  private readonly working = new Set<Promise<unknown>>();
  private readonly clock: () => number;
  private advancedMs = 0;

  constructor(options: TestOptions) {
    this.clock = options.now ?? Date.now;
    this.dialect = dialectOf(options);
    this.createDelayMs = options.createDelayMs ?? 0;
    this.voiceRules = {
      voiceQuota: options.voiceQuota ?? 1000,
      largestPage: options.largestPage ?? 1_000_000,
      listTotals: options.listTotals ?? true,
      extraTargetModels: options.extraTargetModels ?? [],
      quotaStatus: options.quotaStatus ?? 429,
      degradeEvery: options.degradeEvery ?? 0,
      listDelayMs: options.listDelayMs ?? 0,
    };
    this.imageRules = {
      finishAfterPolls: options.finishAfterPolls ?? 0,
      finishAfterMs: options.finishAfterMs ?? 0,
    };
    this.answers = options.answers ?? {};
    this.rateLimits = new RateLimits(options.callsPerSecond);
    this.quirks = new Set(options.quirks);
    this.faults = new Faults(options.faults, options.seed);
    this.ledger = new Ledger(options.file);
    this.accounts = new Accounts(this.ledger);

    const keys = options.accounts ?? { default: `emulator-${randomBytes(12).toString("hex")}` };
    const accounts = Object.entries(keys).map(([account, key]) => [account, [key].flat()] as const);
    for (const [account, accountKeys] of accounts) {
      for (const key of accountKeys) this.accounts.giveKey(account, key);
    }
    [this.firstAccount, [this.apiKey = ""]] = accounts[0] ?? ["default", []];
  }

  /**
   * Deletes voices that were not used for over a year (contract 8). Voices are never used here, because the emulator
   * has no calls for it.
   */
  deleteUnusedVoices(): void {
    for (const [account, voices] of this.accounts.all()) {
      for (const row of voices.values()) {
        if (this.now() - createdMsOf(row) <= yearMs) continue;
        const event = { account, action: "control", status: 200, charge: 0, requestId: "-" } as const;
        this.record({ ...event, deleted: row.voice });
      }
    }
  }

  now(): number {
    return this.clock() + this.advancedMs;
  }

  /**
   * Moves the clock forward. Throws if the year would have more than four digits, because names of voices contain the
   * time.
   */
  advance(ms: number): void {
    if (!(ms >= 0 && this.now() + ms < latestMs))
      throw new RangeError("The clock can only move forward, to the year 9999 at the latest.");
    this.advancedMs += ms;
  }

  /** Keeps calls of an action waiting until the returned function is called. */
  hold(action: Action): () => void {
    let release = () => {};
    this.held.set(action, new Promise((resolve) => (release = resolve)));
    return () => {
      this.held.delete(action);
      release();
    };
  }

  /** Waits for a number of milliseconds. Rejects if the emulator is closed before they have passed. */
  async pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.closing.signal });
  }

  /** Does the work of a call. If the emulator was closed while the call waited, fails instead. */
  async unlessClosed<T>(work: () => Promise<T> | T): Promise<T> {
    this.closing.signal.throwIfAborted();
    const done = Promise.resolve(work());
    this.working.add(done);
    return await done.finally(() => this.working.delete(done));
  }

  /** Ends all waits. Resolves when no call is in progress any more. */
  async close(): Promise<void> {
    this.closing.abort();
    await Promise.allSettled(this.working);
  }

  /** Writes an entry to the ledger, and applies its changes to the account. */
  record(event: Omit<LedgerEntry, "at">): void {
    const entry = { at: new Date(this.now()).toISOString(), ...event };
    this.accounts.apply(entry);
    this.ledger.add(entry);
  }
}

/** The dialect that the seed determines. Without a seed, the dialect that the option `form` names. */
function dialectOf({ form, dialect: seed, hostile = false }: TestOptions): Dialect {
  const usual = form === "flat" ? flatDialect : nestedDialect;
  const drawn = seed === undefined ? usual : drawDialect(seed);
  return { ...drawn, hostile: hostile === true ? "short" : hostile };
}
