import { isPipeline } from "../../rules/addresses";
import { type ImageOutputs, plannedImages, taskProgress, timeoutMsOf } from "../../rules/image";
import { type ImageInputs, imageInputs, storageHint } from "../../rules/image-fields";
import type { Task } from "../../service/images/client";
import { waitForTask } from "../../service/images/wait";
import { InitializationFailed, type Resource, withOutputsOf } from "../lifecycle";
import { ImageFiles } from "./files";
import { type ImageTasks, withPartialState } from "./tasks";
import { isRecord, unknownValue } from "../../rules/values";
import { isSamePlace } from "../../rules/storage";
import type { Reading } from "../operation";
import { isUnreadId } from "../billed-once";

export async function createImage(
  tasks: ImageTasks,
  inputs: ImageInputs,
  resource: Resource,
): Promise<{ id: string; state: ImageOutputs }> {
  const { operation } = tasks;
  const hint = storageHint(inputs, isPipeline(process.env));
  if (hint !== undefined) operation.log.line(`${resource.name}: ${hint}`);
  const submitted = (await tasks.adopted(inputs, resource)) ?? (await tasks.once.result(inputs, resource));
  const state: ImageOutputs = { ...inputs, ...submitted, images: [] };
  const task = await finishTask(tasks, state, resource);
  if (task !== undefined) throw tasks.failed(task, resource).amend({ advice: submitsAnother });
  return { id: state.taskId, state };
}

const submitsAnother = "Nothing is saved, and the next update submits another task, which is billed.";

/**
 * Waits for the task, and adds its images to `state`. Returns the task if it failed. Any other problem is thrown as an
 * `InitializationFailed`, so the engine saves `state`.
 */
async function finishTask(tasks: ImageTasks, state: ImageOutputs, resource: Resource): Promise<Task | undefined> {
  const { operation } = tasks;
  const { service, log, questions } = operation;
  const timeoutMs = timeoutMsOf({ ...resource, ...state });
  const untilMs = service.clock.now() + timeoutMs;
  return withPartialState(state, async () => {
    const task = await waitForTask(state.taskId, state.taskStatus, {
      ...tasks.pollingOf(resource),
      timeoutMs,
      log: (line) => log.progress(`${resource.name}: ${line}`),
    });
    state.taskStatus = task.taskStatus;
    if (task.progress === "doubtful") {
      const question = tasks.payAgainQuestion(task, state, resource);
      throw new InitializationFailed(state.taskId, { ...state }, questions.textOf(question));
    }
    if (task.progress !== "succeeded") return task;
    const problem = tasks.describe(state, task, resource);
    if (problem !== undefined) log.warn(`${resource.name}: ${problem}`);
    const files = new ImageFiles(operation, resource).with(task);
    await files.download(state, untilMs);
    files.warnOfInline(state);
    return undefined;
  });
}

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
