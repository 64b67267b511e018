import type { ImageOutputs } from "../../rules/image";
import type { ImageInputs } from "../../rules/image-inputs";
import type { Lifecycle } from "../lifecycle";
import type { Operation } from "../operation";
import { checkImage } from "./check";
import { createImage } from "./create";
import { diffImage } from "./diff";
import { ImageTasks } from "./tasks";
import { importImage, readImage } from "./read";
import { planImage, updateImage } from "./update";

/**
 * The life cycle of an image. Once its task has an id, every failure saves the resource with that id, and the next
 * update continues with the task instead of paying for a new task.
 */
export function imageLifecycle(operation: Operation): Lifecycle<ImageInputs, ImageOutputs> {
  const tasks = new ImageTasks(operation);
  return {
    check: (...call) => checkImage(tasks, ...call),
    diff: (...call) => diffImage(tasks, ...call),
    create: (...call) => createImage(tasks, ...call),
    update: (_id, ...call) => updateImage(tasks, ...call),
    planUpdate: (...call) => planImage(tasks, ...call),
    read: (_id, ...call) => readImage(tasks, ...call),
    /** Removes only the journal's note: the service forgets tasks by itself, and saved files belong to the user. */
    delete: (id) => operation.journal.forgetId(id),
    import: (id) => importImage(tasks, id),
  };
}
