import type { Operation } from "../operation";

const everyMs = 10_000;

/**
 * Returns a function to call after each create. It logs the number of ended creates, at most once in `everyMs`, and the
 * last create if it has logged before.
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
