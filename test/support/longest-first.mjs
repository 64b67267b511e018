import { basename } from "node:path";
import TestSequencer from "@jest/test-sequencer";

/**
 * Seconds of CPU that the longest test files take, most of them measured on 2026-11-23 on 2 cores with other work on the
 * machine, and the unit tests on 2026-11-27. A wrong figure changes no result: the whole run takes longer.
 */
const seconds = {
  "native.test.ts": 66,
  "provider-processes.test.ts": 66,
  "hosted.test.ts": 61,
  "simulation.test.ts": 54,
  "plugin.test.ts": 52,
  "examples.test.ts": 50,
  "plugin-today.test.ts": 48,
  "command-line.test.ts": 47,
  "chaos.test.ts": 42,
  "review.test.ts": 42,
  "decisions.test.ts": 40,
  "smoke.test.ts": 37,
  "pipelines.test.ts": 33,
  "dialects.test.ts": 31,
  "moves.test.ts": 30,
  "consumers.test.ts": 30,
  "quick-start.test.ts": 30,
  "plugin-languages.test.ts": 28,
  "images.test.ts": 28,
  "moves-between-faces.test.ts": 27,
  "held-voices.test.ts": 27,
  "voices.test.ts": 26,
  "plugin-catalog.test.ts": 25,
  "secrets.test.ts": 24,
  "paid-once.test.ts": 23,
  "secret-rights.test.ts": 22,
  "page.test.ts": 21,
  "shared-state.test.ts": 20,
  "invariants.test.ts": 19,
  "options.test.ts": 18,
  "image-buckets.test.ts": 18,
  "ignore-changes.test.ts": 17,
  "automation.test.ts": 14,
  "review-faces.test.ts": 14,
  "inspect.test.ts": 12,
  "plugin-archive.test.ts": 12,
  "dev.test.ts": 12,
  "old-state.test.ts": 10,
  "hostile-service.test.ts": 10,
  "bad-input.test.ts": 8,
  "create-voice.test.ts": 5,
  "image-tasks.test.ts": 5,
  "life.test.ts": 5,
  "throttle.test.ts": 4,
  "voice-set-lives.test.ts": 4,
  "voice-set.test.ts": 20,
  "image-downloads.test.ts": 3,
  "properties.test.ts": 3,
  "regular-expressions.test.ts": 3,
};

/** Starts the longest files first, so that no worker is left with a long file at the end. */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const secondsOf = ({ path }) => seconds[basename(path)] ?? 0;
    return super.sort(tests).sort((one, other) => secondsOf(other) - secondsOf(one));
  }
}
