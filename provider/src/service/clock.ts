import { setTimeout as delay } from "node:timers/promises";

/** Time and randomness, passed in so that tests neither wait nor depend on chance. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** A number in [0, 1). */
  random(): number;
}

/** Returns a function that waits until so much time has passed since it ended its last wait. */
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

/** For the pace of calls: someone may set the time of the machine, and not that since the process began. */
export const steady = (clock: Clock) =>
  clock.now === systemClock.now ? { ...clock, now: () => performance.now() } : clock;
