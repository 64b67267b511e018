import { basename } from "node:path";
import TestSequencer from "@jest/test-sequencer";

/** Seconds of CPU that the longest test files take, alone. A wrong figure changes no result: the whole run takes longer. */
const seconds = {
  "chaos.test.ts": 42,
  "plugin.test.ts": 45,
  "simulation.test.ts": 40,
  "consumers.test.ts": 30,
  "quick-start.test.ts": 30,
  "review.test.ts": 30,
  "pipelines.test.ts": 29,
  "plugin-languages.test.ts": 28,
  "images.test.ts": 25,
  "command-line.test.ts": 23,
  "moves.test.ts": 21,
  "held-voices.test.ts": 20,
  "paid-once.test.ts": 20,
  "shared-state.test.ts": 20,
  "voices.test.ts": 20,
  "image-buckets.test.ts": 18,
  "decisions.test.ts": 18,
  "secrets.test.ts": 18,
  "without-silence.test.ts": 17,
  "quota.test.ts": 16,
  "ignore-changes.test.ts": 15,
  "lost-state.test.ts": 15,
  "image-interruptions.test.ts": 14,
  "review-faces.test.ts": 14,
  "accounts.test.ts": 13,
  "exactly-once.test.ts": 12,
  "plugin-archive.test.ts": 12,
  "adopt.test.ts": 11,
  "limits.test.ts": 10,
  "examples.test.ts": 14,
  "hosted.test.ts": 30,
  "page.test.ts": 10,
  "pending-delete.test.ts": 9,
  "automation.test.ts": 8,
  "old-state.test.ts": 7,
  "properties.test.ts": 7,
  "bad-input.test.ts": 6,
};

/** Starts the longest files first, so that no worker is left with a long file at the end. */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const secondsOf = ({ path }) => seconds[basename(path)] ?? 0;
    return super.sort(tests).sort((one, other) => secondsOf(other) - secondsOf(one));
  }
}
