import { InputError } from "../../errors";
import { type ImageOutputs, isDoubtful, taskProgress } from "../../rules/image";
import type { ImageInputs } from "../../rules/image-fields";
import { isPicture } from "../../service/responses/images";
import { mayBeSecret, type Resource } from "../lifecycle";
import { ImageFiles } from "./files";
import type { ImageTasks } from "./tasks";
import { isUnreadId } from "../billed-once";

/** The service forgets finished tasks, so only the saved images of a finished task are checked. */
export async function readImage(tasks: ImageTasks, olds: ImageOutputs, resource: Resource): Promise<ImageOutputs> {
  const { operation } = tasks;
  const { service, log } = operation;
  const state = { ...olds, images: [...olds.images] };
  const { taskId } = state;
  if (taskProgress(state.taskStatus) !== "waiting") {
    readAgain(tasks, state, resource);
    await new ImageFiles(operation, resource).restore(state);
    return state;
  }
  if (isUnreadId(taskId)) {
    log.warn(`${resource.name}: the response to its submission was not understood (${taskId})`);
    return state;
  }
  const { taskStatus, message } = await service.images.poll(taskId, { secret: mayBeSecret(resource) });
  if (isDoubtful(taskStatus)) {
    log.warn(`${resource.name}: ${tasks.doubtOf({ taskId, taskStatus, message }, resource)} The task is kept`);
    return state;
  }
  // A task that has just succeeded still counts as running, until the next update has downloaded its images.
  return { ...state, taskStatus: taskProgress(taskStatus) === "succeeded" ? state.taskStatus : taskStatus };
}

/** Reads a kept response with the current setting `forms`. The next update saves the images. */
function readAgain(tasks: ImageTasks, state: ImageOutputs, resource: Resource): void {
  const { taskId, taskOutput } = state;
  if (taskOutput === undefined) return;
  const { operation } = tasks;
  const results = operation.service.images.picturesIn(taskId, taskOutput);
  if (!results.some(isPicture)) return;
  delete state.taskOutput;
  const task = { taskId, results, fields: "", raw: undefined, missing: [] };
  const problem = tasks.describe(state, task, resource);
  if (problem !== undefined) operation.log.warn(`${resource.name}: ${problem}`);
}

/**
 * Imports a task, without inputs, because the service does not report them. The prompt may be a secret of the program,
 * so nothing that may quote it is shown or kept.
 */
export async function importImage(
  tasks: ImageTasks,
  taskId: string,
): Promise<{ inputs: Partial<ImageInputs>; state: Partial<ImageOutputs> }> {
  const unknownSecrets = { secrets: undefined };
  const task = await tasks.lookUp(taskId, unknownSecrets);
  if (task.progress === "doubtful") throw new InputError(tasks.doubtOf(task, unknownSecrets));
  if (task.progress === "failed") throw tasks.failed(task, unknownSecrets);
  const state: Pick<ImageOutputs, "taskId" | "taskStatus" | "images" | "expiresAt" | "n"> = {
    taskId,
    taskStatus: task.taskStatus,
    images: [],
  };
  // The next update downloads the images. The response is not kept, because it may quote a prompt.
  if (task.progress === "succeeded") tasks.describe(state, task, unknownSecrets);
  return { inputs: {}, state: { ...state, taskOutput: undefined } };
}
