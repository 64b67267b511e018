import { basename } from "node:path";
import TestSequencer from "@jest/test-sequencer";

/**
 * Seconds of CPU that the longest test files take, most of them measured on 2026-11-22 on 2 cores with other work on the
 * machine. A wrong figure changes no result: the whole run takes longer.
 */
const seconds = {
  "native.test.ts": 66,
  "hosted.test.ts": 61,
  "plugin-today.test.ts": 48,
  "provider-processes.test.ts": 66,
  "plugin.test.ts": 51,
  "examples.test.ts": 50,
  "simulation.test.ts": 45,
  "chaos.test.ts": 42,

  "hosted-organizations.test.ts": 38,
  "review.test.ts": 38,
  "pipelines.test.ts": 33,
  "smoke.test.ts": 32,
  "dialects.test.ts": 31,
  "command-line.test.ts": 31,
  "moves.test.ts": 30,
  "consumers.test.ts": 30,
  "quick-start.test.ts": 30,
  "plugin-languages.test.ts": 28,
  "secrets.test.ts": 28,
  "moves-between-faces.test.ts": 27,
  "held-voices.test.ts": 26,
  "images.test.ts": 25,
  "decisions.test.ts": 25,
  "plugin-catalog.test.ts": 25,
  "rights.test.ts": 22,
  "paid-once.test.ts": 22,
  "quota.test.ts": 22,
  "invariants.test.ts": 22,
  "secret-rights.test.ts": 22,
  "hostile-plugin.test.ts": 21,
  "shared-state.test.ts": 20,
  "without-silence.test.ts": 20,
  "options.test.ts": 20,
  "image-buckets.test.ts": 18,
  "lost-state.test.ts": 18,
  "accounts.test.ts": 17,
  "ignore-changes.test.ts": 16,
  "image-interruptions.test.ts": 16,
  "automation.test.ts": 15,
  "review-faces.test.ts": 14,
  "adopt.test.ts": 14,
  "exactly-once.test.ts": 13,
  "inspect.test.ts": 12,
  "plugin-archive.test.ts": 12,
  "limits.test.ts": 11,
  "page.test.ts": 19,
  "pending-delete.test.ts": 9,
  "old-state.test.ts": 9,
  "properties.test.ts": 7,
  "bad-input.test.ts": 7,
};

/** Starts the longest files first, so that no worker is left with a long file at the end. */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const secondsOf = ({ path }) => seconds[basename(path)] ?? 0;
    return super.sort(tests).sort((one, other) => secondsOf(other) - secondsOf(one));
  }
}
