import type { ImageOutputs } from "../../rules/image";
import type { ImageInputs } from "../../rules/image-fields";
import type { Lifecycle } from "../lifecycle";
import type { Operation } from "../operation";
import { checkImage } from "./check";
import { createImage } from "./create";
import { diffImage } from "./diff";
import { imagesOf } from "./images";
import { importImage, readImage } from "./read";
import { planImage, updateImage } from "./update";

/**
 * The life cycle of an image. Once its task has an id, every failure saves the resource with that id, and the next
 * update continues with the task instead of paying for a new task.
 */
export function imageLifecycle(operation: Operation): Lifecycle<ImageInputs, ImageOutputs> {
  const images = imagesOf(operation);
  return {
    check: (...call) => checkImage(images, ...call),
    diff: (...call) => diffImage(images, ...call),
    create: (...call) => createImage(images, ...call),
    update: (_id, ...call) => updateImage(images, ...call),
    planUpdate: (...call) => planImage(images, ...call),
    read: (_id, ...call) => readImage(images, ...call),
    /** Removes only the journal's note: the service forgets tasks by itself, and saved files belong to the user. */
    delete: (id) => operation.journal.forgetId(id),
    import: (id) => importImage(images, id),
  };
}
