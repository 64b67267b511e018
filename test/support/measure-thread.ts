import { measure } from "../../provider/src/service/audio/measure";

/**
 * Measures in the thread of the test: the program of the real thread is a file of the build. jest.config.js puts this
 * function in the place of the real one, except in the tests of that.
 */
export const measureInThread = () => measure;
