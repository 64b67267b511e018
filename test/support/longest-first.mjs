import { basename } from "node:path";
import TestSequencer from "@jest/test-sequencer";

/** Seconds that the longest test files take. A wrong figure changes no result: the whole run takes longer. */
const seconds = {
  "exactly-once.test.ts": 150,
};

/** Starts the longest files first, so that no worker is left with a long file at the end. */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const secondsOf = ({ path }) => seconds[basename(path)] ?? 0;
    return super.sort(tests).sort((one, other) => secondsOf(other) - secondsOf(one));
  }
}
