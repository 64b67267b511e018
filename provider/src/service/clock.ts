import { setTimeout as delay } from "node:timers/promises";

/** Time and randomness. Passed as an object, so that tests do not wait and do not depend on chance. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** A random number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
}

/** Returns a function that waits as long as necessary to resolve at most once in `intervalMs`. */
export function pacer(intervalMs: number, clock: Pick<Clock, "now" | "sleep">): () => Promise<void> {
  let nextStartMs = -Infinity;
  return async () => {
    const now = clock.now();
    const startMs = Math.max(now, nextStartMs);
    nextStartMs = startMs + intervalMs;
    if (startMs > now) await clock.sleep(startMs - now);
  };
}

export const systemClock: Clock = { now: Date.now, sleep: (ms) => delay(ms), random: Math.random };

/** A duration for messages. */
export const secondsOf = (ms: number) => `${Math.round(ms / 100) / 10} s`;

/** A clock for measuring intervals. It uses `performance.now()`, which does not jump when the machine's time is set. */
export const steady = (clock: Clock) =>
  clock.now === systemClock.now ? { ...clock, now: () => performance.now() } : clock;
