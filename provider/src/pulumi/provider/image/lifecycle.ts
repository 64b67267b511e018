import { changedFields, failuresOf } from "../../../rules/fields";
import {
  defaultTimeoutSeconds,
  imageFields,
  type ImageInputs,
  type ImageOutputs,
  imageWarnings,
  isUnfetched,
  taskProgress,
} from "../../../rules/image";
import { describeThrown } from "../../../describe-thrown";
import { CloudVoiceError, UnexpectedAnswerError } from "../../../errors";
import { redactReason } from "../../../service/redact";
import type { Task } from "../../../service/images/client";
import { waitForTask } from "../../../service/images/wait";
import { canFetchAgain, fetchImages, fetchWhatIsLeft, saveAgain } from "./files";
import { forgetTask, recallTask, rememberTask } from "./task-notes";
import { type ImageProps, type ImageState, nameIn } from "./state";
import { type Lifecycle, InitializationFailed, type Props } from "../adapter";
import { assertEngineAlive } from "../engine-alive";
import { imageThrottle } from "./throttle";
import { providerProcess } from "../operation";
import { log } from "../log";
import { unknownValue } from "../../../rules/unknown";

/*
 * One submission, whatever happens after it: from the moment the task has an id, every failure saves the resource with that id,
 * and the next update goes on with the task instead of paying for another.
 */

export const imageLifecycle: Lifecycle = {
  check(_olds, news, unknown) {
    const failures = failuresOf(imageFields, news, unknown, undefined);
    if (failures.length === 0)
      for (const warning of imageWarnings(news)) log(`warning: ${nameIn(news.label)}: ${warning}`);
    const inputs: Props = { ...news };
    for (const field of unknown) inputs[field] = unknownValue;
    return Promise.resolve({ inputs, failures });
  },

  async diff(_id, props, news, unknown) {
    const olds = props as unknown as ImageState;
    const replaces = changedFields(imageFields, "replaces", olds, news, unknown);
    if (replaces.length > 0) return { replaces, updates: false };
    const settings = changedFields(imageFields, "updates", olds, news, unknown).length > 0;
    if (taskProgress(olds.taskStatus) !== "succeeded") {
      return (await hasEndedBadly(olds)) ? { replaces: ["taskStatus"], updates: false } : { replaces, updates: true };
    }
    const updates = settings || olds.images.some(isUnfetched) || (await canFetchAgain(olds));
    return { replaces, updates };
  },

  async create(props) {
    const inputs = props as unknown as ImageProps;
    return (await imageThrottle()).run(async (mayStart) => {
      const submitted = (await takeUp(inputs)) ?? (await submit(inputs, mayStart));
      const state: ImageState = { ...inputs, ...submitted, images: [] };
      const task = await finish(state);
      if (task !== undefined) throw endedBadly(task, inputs);
      return { id: state.taskId, outs: { ...state } };
    });
  },

  async update(_id, props, news) {
    const olds = props as unknown as ImageState;
    const { taskId, taskStatus, requestId } = olds;
    const state: ImageState = {
      ...(news as unknown as ImageProps),
      taskId,
      taskStatus,
      requestId,
      images: [...olds.images],
    };
    if (taskProgress(taskStatus) !== "succeeded") {
      // A task that goes on counts among those in flight, as one that begins.
      const task = await (await imageThrottle()).run(() => finish(state));
      if (task !== undefined)
        throw new InitializationFailed(
          taskId,
          { ...state },
          `${endedBadly(task, state).message}; the next preview shows its replacement, a new submission`,
        );
    } else if (olds.saveTo === state.saveTo) await withPartialState(state, () => fetchWhatIsLeft(state));
    // Until all is in the new folder, the state speaks of the old one, and the next update begins anew.
    else await withPartialState({ ...state, saveTo: olds.saveTo, images: olds.images }, () => saveAgain(state));
    return { outs: { ...state } };
  },

  /** Never submits. A task that was still under way is looked up; a finished one is what the state says, for the service forgets it. */
  async read(_id, props) {
    const state = props as unknown as ImageState;
    if (taskProgress(state.taskStatus) !== "waiting") return props;
    const { taskStatus } = await providerProcess().service.images.poll(state.taskId);
    // A task that succeeded has yet to be fetched, which the next update does: until then it counts as waiting.
    return { ...props, taskStatus: taskProgress(taskStatus) === "succeeded" ? state.taskStatus : taskStatus };
  },

  /** The service forgets tasks by itself, and saved files are the user's. */
  delete(_id, props) {
    forgetTask(props as unknown as ImageProps);
    return Promise.resolve();
  },
};

type Submitted = Pick<ImageOutputs, "taskId" | "taskStatus" | "requestId">;

async function submit(inputs: ImageProps, mayStart: () => Promise<void>): Promise<Submitted> {
  const { service } = providerProcess();
  const submitted = await service.images.submit(inputs, async () => {
    await mayStart();
    await assertEngineAlive();
  });
  rememberTask(inputs, submitted.taskId);
  return submitted;
}

/** The task that an interrupted run on this machine submitted for this very resource, unless it ended badly. */
async function takeUp(inputs: ImageProps): Promise<Submitted | undefined> {
  const { service } = providerProcess();
  const taskId = recallTask(inputs);
  if (taskId === undefined) return undefined;
  const { taskStatus } = await service.images.poll(taskId);
  if (taskProgress(taskStatus) === "ended") return undefined;
  log(
    `${nameIn(inputs.label)}: goes on with the task ${taskId}, submitted from this machine before, instead of paying for another. To make another, change triggers`,
  );
  return { taskId, taskStatus };
}

/** Waits for the task and fetches its images into `state`. Returns the task if it ended badly; any other failure keeps the state. */
async function finish(state: ImageState): Promise<Task | undefined> {
  const { service, settings } = providerProcess();
  return withPartialState(state, async () => {
    const task = await waitForTask(state.taskId, state.taskStatus, {
      client: service.images,
      clock: service.clock,
      pollMs: settings.imagePollMs,
      timeoutMs: (state.timeoutSeconds ?? defaultTimeoutSeconds) * 1000,
      log: (line) => log(`${nameIn(state.label)}: ${line}`),
    });
    const ended = taskProgress(task.taskStatus) === "ended";
    if (!ended && task.results.length === 0)
      throw new UnexpectedAnswerError(
        `the image task ${state.taskId} ended as ${task.taskStatus}, and its answer names no image`,
      );
    state.taskStatus = task.taskStatus;
    if (ended) return task;
    state.images = task.results.map((result) =>
      "url" in result ? result : { error: hidden(`${result.code}: ${result.message}`, state) },
    );
    await fetchImages(state);
    return undefined;
  });
}

/** Whatever fails, the resource is saved as `state` then is. */
async function withPartialState<T>(
  state: Omit<ImageState, "saveTo"> & { saveTo?: string | undefined },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new InitializationFailed(
      state.taskId,
      { ...state },
      `${describeThrown(error).message} [task ${state.taskId}: kept, and not submitted again]`,
    );
  }
}

/** Of a saved task that was still under way: replaced in the preview, before its new submission is paid. */
async function hasEndedBadly(state: ImageState): Promise<boolean> {
  if (taskProgress(state.taskStatus) === "ended") return true;
  try {
    const task = await providerProcess().service.images.poll(state.taskId);
    return taskProgress(task.taskStatus) === "ended";
  } catch (error) {
    log(`warning: ${nameIn(state.label)}: ${describeThrown(error).message}`);
    return false;
  }
}

function endedBadly({ taskId, taskStatus, code, message }: Task, inputs: ImageInputs): CloudVoiceError {
  const why =
    taskStatus.toUpperCase() === "UNKNOWN"
      ? "the service does not know the task (any more: it forgets tasks after a day)"
      : (message ?? "the service gave no reason");
  return new CloudVoiceError(hidden(`the image task ${taskId} ended as ${taskStatus}: ${why}`, inputs), { code });
}

/** Prompts may be secret, and the service may quote them. */
function hidden(text: string, { prompt, negativePrompt }: ImageInputs): string {
  return redactReason(text, providerProcess().settings.apiKey ?? "\0", [prompt, negativePrompt]);
}
