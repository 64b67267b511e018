import { type ImageOutputs, plannedImages, taskProgress, timeoutMsOf } from "../../rules/image";
import { type ImageInputs, imageInputs } from "../../rules/image-inputs";
import { isRecord } from "../../rules/is-record";
import { isSamePlace } from "../../rules/storage";
import { unknownValue } from "../../rules/unknown";
import { isUnreadId } from "../../service/billed-requests";
import { InitializationFailed, type Resource, withOutputsOf } from "../lifecycle";
import { finishTask } from "./create";
import { ImageFiles } from "./files";
import type { ImageTasks } from "./tasks";
import { withPartialState } from "./tasks";
import type { Reading } from "../operation";

/** Waits for a task that has not ended, downloads missing images, or saves the images in a new place. Is not billed. */
export async function updateImage(
  tasks: ImageTasks,
  olds: ImageOutputs,
  news: ImageInputs,
  resource: Resource,
): Promise<ImageOutputs> {
  const state = withOutputsOf(imageInputs, olds, news);
  state.images = [...olds.images];
  if (isUnreadId(olds.taskId)) throw tasks.once.unreadFailure(olds.taskId, { ...olds }, resource);
  if (taskProgress(olds.taskStatus) === "succeeded") {
    await updateFiles(tasks.operation, state, olds, resource);
    return state;
  }
  const task = await finishTask(tasks, state, resource);
  if (task === undefined) return state;
  const reason = `${tasks.failed(task, resource).message}; the next preview plans a replacement by a new task`;
  throw new InitializationFailed(state.taskId, state, reason);
}

async function updateFiles(
  operation: Reading,
  state: ImageOutputs,
  olds: ImageOutputs,
  resource: Resource,
): Promise<void> {
  // Until every image is in the new place, the state names the old place, and the next update starts again.
  const hasMoved = !isSamePlace(olds.saveTo, state.saveTo);
  const partial = hasMoved ? { ...state, saveTo: olds.saveTo, images: olds.images } : state;
  const files = new ImageFiles(operation, resource);
  const untilMs = operation.service.clock.now() + timeoutMsOf({ ...resource, ...state });
  await withPartialState(partial, () =>
    hasMoved ? files.saveElsewhere(state, olds.saveTo, untilMs) : files.download(state, untilMs),
  );
}

/** The outputs that an update may change, with the addresses that a preview can know already. */
export async function planImage(
  { operation }: ImageTasks,
  olds: ImageOutputs,
  news: ImageInputs,
  resource: Resource,
): Promise<object> {
  const { saveTo } = news;
  const planned = plannedImages(olds, news);
  if (!Array.isArray(planned.images) || saveTo === undefined || saveTo === unknownValue) return planned;
  const files = new ImageFiles(operation, resource);
  // In some languages, one unknown field makes the whole output unknown. The preview may then show a replacement of
  // each resource that uses the output.
  const images = planned.images.map(async (image: unknown, index) => {
    if (!isRecord(image) || image.file !== unknownValue) return image;
    return { ...image, file: (await files.addressElsewhere(olds, index, saveTo)) ?? unknownValue };
  });
  return { ...planned, images: await Promise.all(images) };
}
