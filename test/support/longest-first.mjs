import { basename } from "node:path";
import TestSequencer from "@jest/test-sequencer";

/** Seconds that the longest test files take. A wrong figure changes no result: the whole run takes longer. */
const seconds = {
  "held-voices.test.ts": 217,
  "chaos.test.ts": 97,
  "pipelines.test.ts": 97,
  "limits.test.ts": 72,
  "review.test.ts": 70,
  "properties.test.ts": 64,
  "command-line.test.ts": 55,
  "images.test.ts": 52,
  "simulation.test.ts": 50,
  "quota.test.ts": 45,
  "plugin.test.ts": 44,
  "decisions.test.ts": 42,
  "paid-once.test.ts": 41,
  "moves.test.ts": 40,
  "consumers.test.ts": 38,
  "image-buckets.test.ts": 38,
  "plugin-languages.test.ts": 37,
  "quick-start.test.ts": 36,
  "lost-state.test.ts": 36,
  "examples.test.ts": 31,
  "plugin-archive.test.ts": 30,
  "ignore-changes.test.ts": 29,
  "without-silence.test.ts": 28,
  "secrets.test.ts": 28,
  "voices.test.ts": 28,
  "image-interruptions.test.ts": 24,
  "page.test.ts": 23,
  "adopt.test.ts": 22,
  "shared-state.test.ts": 22,
  "exactly-once.test.ts": 20,
  "accounts.test.ts": 20,
  "old-state.test.ts": 18,
  "pending-delete.test.ts": 15,
  "bad-input.test.ts": 12,
};

/** Starts the longest files first, so that no worker is left with a long file at the end. */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const secondsOf = ({ path }) => seconds[basename(path)] ?? 0;
    return super.sort(tests).sort((one, other) => secondsOf(other) - secondsOf(one));
  }
}
