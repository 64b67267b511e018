import type { Apart } from "../../provider/src/service/apart/apart";
import { tasks } from "../../provider/src/service/apart/tasks";

/**
 * Does the tasks in the process of the test: the program of the real process is a file of the build. jest.config.js
 * puts it in the place of the real one, except in the tests of that.
 */
export class ApartProcess implements Apart {
  run: Apart["run"] = (name, content) => tasks[name](content);
}
