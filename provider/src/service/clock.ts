import { setTimeout as delay } from "node:timers/promises";

/** Time and randomness, passed in so that tests neither wait nor depend on chance. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** A number in [0, 1). */
  random(): number;
}

/** Returns a function whose waits end at least `intervalMs` apart. */
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

/** The clock to measure intervals with: `performance.now()` stays correct if the time of the machine is set. */
export const steady = (clock: Clock) =>
  clock.now === systemClock.now ? { ...clock, now: () => performance.now() } : clock;
