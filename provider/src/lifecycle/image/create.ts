import { isPipeline } from "../../rules/addresses";
import { type ImageOutputs, timeoutMsOf } from "../../rules/image";
import { type ImageInputs, storageHint } from "../../rules/image-inputs";
import type { Task } from "../../service/images/client";
import { waitForTask } from "../../service/images/wait";
import { InitializationFailed, type Resource } from "../lifecycle";
import { ImageFiles } from "./files";
import type { ImageTasks } from "./tasks";
import { withPartialState } from "./tasks";

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
export async function finishTask(
  tasks: ImageTasks,
  state: ImageOutputs,
  resource: Resource,
): Promise<Task | undefined> {
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
