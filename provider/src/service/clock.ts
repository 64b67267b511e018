import { setTimeout as delay } from "node:timers/promises";

/** Time and randomness, passed in so that tests neither wait nor depend on chance. */
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
