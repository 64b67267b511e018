import type { Operation } from "../operation";

/** The shortest time between two progress lines of a set. */
const everyMs = 10_000;

/**
 * Returns a function to call after each create. The function logs the number of ended creates, at most once in
 * `everyMs`. It logs the last create too if it has logged before.
 */
export function createCount(total: number, name: string, { service, log }: Pick<Operation, "service" | "log">) {
  const { clock } = service;
  const startedMs = clock.now();
  let lineMs = startedMs;
  let ended = 0;
  return () => {
    ended++;
    const isDue = ended < total ? clock.now() - lineMs >= everyMs : lineMs > startedMs;
    if (!isDue) return;
    lineMs = clock.now();
    log.progress(`${name}: ${ended} of ${total} voices after ${Math.round((lineMs - startedMs) / 1000)} s`);
  };
}
