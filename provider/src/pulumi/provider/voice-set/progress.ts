import type { Operation } from "../operation";

/** How long a set is silent at most while its voices are created. */
const everyMs = 10_000;

/**
 * Called for each create that has ended. Logs how many that is, if the last line is some time ago, and then at the end.
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
