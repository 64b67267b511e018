import type { Measure } from "../../provider/src/service/audio/measure-thread";

/**
 * Measures in the thread of the test: the program of the real thread is a file of the build. jest.config.js puts this
 * function in the place of the real one, except in the tests of that. The libraries are large, and most tests measure
 * nothing.
 */
export const measureInThread = (): Measure => async (content) =>
  (await import("../../provider/src/service/audio/measure")).measure(content);
