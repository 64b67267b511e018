import { setTimeout as delay } from "node:timers/promises";

/** Time and chance, passed in so that no test waits and no test is left to luck. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** A number in [0, 1). */
  random(): number;
}

export const systemClock: Clock = {
  now: Date.now,
  sleep: (ms) => delay(ms),
  random: Math.random,
};
