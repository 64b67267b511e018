import { basename } from "node:path";
import TestSequencer from "@jest/test-sequencer";

/** Seconds that the longest test files take. A wrong figure changes no result: the whole run takes longer. */
const seconds = {
  "images.test.ts": 170,
  "exactly-once.test.ts": 160,
  "held-voices.test.ts": 125,
  "chaos.test.ts": 120,
  "limits.test.ts": 100,
  "adopt.test.ts": 90,
  "bad-input.test.ts": 90,
  "decisions.test.ts": 90,
  "paid-once.test.ts": 80,
  "quota.test.ts": 80,
  "simulation.test.ts": 80,
  "voices.test.ts": 80,
  "consumers.test.ts": 70,
  "pending-delete.test.ts": 70,
  "command-line.test.ts": 60,
  "review.test.ts": 50,
  "accounts.test.ts": 40,
  "image-interruptions.test.ts": 40,
  "pipelines.test.ts": 40,
  "examples.test.ts": 25,
  "shared-state.test.ts": 25,
};

/** Starts the longest files first, so that no worker is left with a long file at the end. */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const secondsOf = ({ path }) => seconds[basename(path)] ?? 0;
    return super.sort(tests).sort((one, other) => secondsOf(other) - secondsOf(one));
  }
}
