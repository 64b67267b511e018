import type { ImageOutputs } from "../../../rules/image";
import type { ImageInputs } from "../../../rules/image-inputs";
import type { Lifecycle } from "../lifecycle";
import type { Operation } from "../operation";
import { checkImage } from "./check";
import { createImage } from "./create";
import { diffImage } from "./diff";
import { imagesOf } from "./images";
import { importImage, readImage } from "./read";
import { planImage, updateImage } from "./update";

/**
 * What each call of the engine does with an image. A task is submitted once, whatever happens after that: once the task
 * has an id, every failure saves the resource with that id, and the next update goes on with the task instead of paying
 * for another.
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
    /** The service forgets tasks by itself, and saved files belong to the user. */
    delete: (id) => operation.journal.forgetId(id),
    import: (id) => importImage(images, id),
  };
}
