import type { Action } from "./ledger";

export const faultKinds = [
  "429",
  "429-retry-after",
  "500",
  "500-after",
  "html-502",
  "slow",
  "cut-json",
  "reset-before",
  "reset-after",
] as const;
/**
 * `429-retry-after` asks for a wait; `500`, `html-502` and `reset-before` come before any work; `500-after`, `reset-after` and
 * `cut-json` after it, so that only the answer is lost; `slow` works and answers after `delayMs`.
 */
export type FaultKind = (typeof faultKinds)[number];

export interface FaultRule {
  kind: FaultKind;
  /** The calls it befalls; default: all. */
  on?: Action[];
  /** How many calls it befalls before it is used up; default: no end. */
  times?: number;
  /** Calls of its kind that pass unharmed first; default 0. */
  skip?: number;
  /** The chance of each call, 0 to 1; default 1. */
  probability?: number;
  /** For `slow`; default 1,000. */
  delayMs?: number;
  /** For `429-retry-after`; default 1. */
  retryAfterSeconds?: number;
}

/** Plays faults by rule, the first that applies. Chance is seeded, so that a run can be had again. */
export class Faults {
  private rules: (FaultRule & { left: number; toSkip: number })[] = [];
  private random: () => number;

  constructor(rules: FaultRule[] = [], seed = 1) {
    this.random = seededRandom(seed);
    this.set(rules);
  }

  set(rules: FaultRule[], seed?: number): void {
    if (seed !== undefined) this.random = seededRandom(seed);
    this.rules = rules.map((rule) => ({ ...rule, left: rule.times ?? Infinity, toSkip: rule.skip ?? 0 }));
  }

  next(action: Action): FaultRule | undefined {
    for (const rule of this.rules) {
      if (rule.left <= 0 || (rule.on && !rule.on.includes(action))) continue;
      if (rule.toSkip > 0) {
        rule.toSkip--;
        continue;
      }
      if (this.random() >= (rule.probability ?? 1)) continue;
      rule.left--;
      return rule;
    }
    return undefined;
  }
}

/** Mulberry32: small, and the same on every machine. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
