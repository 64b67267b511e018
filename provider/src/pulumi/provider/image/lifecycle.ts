import { describeThrown } from "../../../describe-thrown";
import { CloudVoiceError, UnexpectedAnswerError } from "../../../errors";
import {
  defaultTimeoutSeconds,
  type ImageOutput,
  type ImageOutputs,
  needsDownload,
  taskProgress,
} from "../../../rules/image";
import { imageInputs, imageWarnings } from "../../../rules/image-inputs";
import { changedInputs, checkFailure, checkInputs } from "../../../rules/inputs";
import { unknownValue } from "../../../rules/unknown";
import type { Task } from "../../../service/images/client";
import { waitForTask } from "../../../service/images/wait";
import { hiddenReason, redactReason } from "../../../service/redact";
import { InitializationFailed, type Lifecycle, type Limits, type Props } from "../lifecycle";
import type { Operation } from "../operation";
import { failureWithoutSecrets } from "../secret-inputs";
import { ImageFiles } from "./files";
import { type ImageProps, type ImageState, nameIn } from "./state";
import { ImageTasks } from "./tasks";

/**
 * One submission, whatever happens after it: once the task has an id, every failure saves the resource with that id,
 * and the next update goes on with the task instead of paying for another.
 */
export function imageLifecycle(operation: Operation): Lifecycle {
  const { settings, service, log, secrets, states, imageThrottle, assertEngineAlive } = operation;
  const tasks = new ImageTasks(operation);
  const files = new ImageFiles(operation);

  return {
    check(_olds, { identity, secretInputs, ...news }, unknown) {
      states.learnStack(identity);
      const problems = checkInputs(imageInputs, news, unknown);
      const inputs: Props = { ...news };
      for (const name of unknown) inputs[name] = unknownValue;
      const secret = secrets.declare(inputs, secretInputs);
      const shown = Object.fromEntries(Object.entries(news).filter(([name]) => !secret.has(name)));
      if (problems.length === 0)
        for (const warning of imageWarnings(shown)) log.warn(`${nameIn(news.label)}: ${warning}`);
      const failures = problems.map((problem) => failureWithoutSecrets(checkFailure(problem), problem.input, secret));
      return Promise.resolve({ inputs, failures });
    },

    async diff(_id, props, news, unknown) {
      const olds = props as unknown as ImageState;
      // The state has the task.
      await tasks.forget(olds);
      const replaces = changedInputs(imageInputs, "replaces", olds, news, unknown);
      if (replaces.length > 0) return { replaces, updates: false };
      if (taskProgress(olds.taskStatus) !== "succeeded") {
        const replacesTask = await hasEndedBadly(olds);
        return replacesTask ? { replaces: ["taskStatus"], updates: false } : { replaces, updates: true };
      }
      const changed = changedInputs(imageInputs, "updates", olds, news, unknown).length > 0;
      const updates = changed || olds.images.some(needsDownload) || (await files.canDownloadAgain(olds));
      return { replaces, updates };
    },

    create(props, limits) {
      const inputs = props as unknown as ImageProps;
      return imageThrottle.run(async (acquireSlot) => {
        const submitted = (await resumeTask(inputs)) ?? (await submit(inputs, acquireSlot));
        const state: ImageState = { ...inputs, ...submitted, images: [] };
        const secret = hasSecretInput(inputs);
        const task = await finish(state, secret, limits);
        if (task !== undefined) throw endedBadly(task, secret);
        return { id: state.taskId, outs: { ...state } };
      });
    },

    async update(_id, props, news, limits) {
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
        // A resumed task counts as a running one, as a new one does.
        const secret = hasSecretInput(news);
        const task = await imageThrottle.run(() => finish(state, secret, limits));
        if (task !== undefined) {
          const reason = `${endedBadly(task, secret).message}; the next preview shows its replacement, a new submission`;
          throw new InitializationFailed(taskId, { ...state }, reason);
        }
      } else if (olds.saveTo === state.saveTo) {
        await withPartialState(state, () => files.downloadRest(state));
      } else {
        // Until every image is in the new folder, the state names the old one, and the next update starts again.
        const partial = { ...state, saveTo: olds.saveTo, images: olds.images };
        await withPartialState(partial, () => files.saveElsewhere(state));
      }
      return { outs: { ...state } };
    },

    /**
     * Never submits. It looks up a task that was still running; a finished one is as the state says, because the
     * service forgets it.
     */
    async read(_id, props) {
      const state = props as unknown as ImageState;
      if (taskProgress(state.taskStatus) !== "waiting") return props;
      const { taskStatus } = await service.images.poll(state.taskId);
      // The images of a task that succeeded have yet to be downloaded, which the next update does: until then it
      // counts as running.
      return { ...props, taskStatus: taskProgress(taskStatus) === "succeeded" ? state.taskStatus : taskStatus };
    },

    /** The service forgets tasks by itself, and saved files belong to the user. */
    async delete(_id, props) {
      await tasks.forget(props as unknown as ImageProps);
    },

    /** The service does not report what a task was made from. */
    async import(id) {
      const task = await service.images.poll(id);
      if (task.taskStatus.toUpperCase() === "UNKNOWN") return undefined;
      if (taskProgress(task.taskStatus) === "ended") throw endedBadly(task, false);
      // The images of a finished task have yet to be downloaded, which the next update does.
      const images = imagesOf(task, false);
      return { inputs: {}, outs: { taskId: id, taskStatus: task.taskStatus, images } };
    },
  };

  async function submit(inputs: ImageProps, acquireSlot: () => Promise<void>): Promise<Submitted> {
    // Before the call and not before each attempt: the service's own rate limit may hold the call back after it.
    await acquireSlot();
    const beforeSend = async () => {
      await assertEngineAlive();
      await tasks.beforeSubmit(inputs);
    };
    const submitted = await service.images
      .submit(inputs, beforeSend, hasSecretInput(inputs))
      .catch(async (error: unknown) => {
        if (CloudVoiceError.is(error) && error.billed === "no") await tasks.forget(inputs);
        throw error;
      });
    await tasks.submitted(inputs, submitted.taskId);
    return submitted;
  }

  /** The task that an interrupted run submitted for this resource, unless it ended badly. */
  async function resumeTask(inputs: ImageProps): Promise<Submitted | undefined> {
    const taskId = await tasks.interrupted(inputs);
    if (taskId === undefined) return undefined;
    const { taskStatus } = await service.images.poll(taskId);
    if (taskProgress(taskStatus) === "ended") return undefined;
    log.line(
      `${nameIn(inputs.label)}: goes on with the task ${taskId}, which an interrupted run submitted, ` +
        "instead of paying for another. To make another, change triggers",
    );
    return { taskId, taskStatus };
  }

  /**
   * Waits for the task and downloads its images into `state`. Returns the task if it ended badly; any other failure
   * keeps the state.
   */
  async function finish(state: ImageState, secret: boolean, limits: Limits = {}): Promise<Task | undefined> {
    return withPartialState(state, async () => {
      const task = await waitForTask(state.taskId, state.taskStatus, {
        client: service.images,
        clock: service.clock,
        pollMs: settings.imagePollMs,
        timeoutMs: (state.timeoutSeconds ?? limits.timeoutSeconds ?? defaultTimeoutSeconds) * 1000,
        log: (line) => log.progress(`${nameIn(state.label)}: ${line}`),
      });
      const ended = taskProgress(task.taskStatus) === "ended";
      if (!ended && task.results.length === 0) {
        throw new UnexpectedAnswerError(
          `the image task ${state.taskId} ended as ${task.taskStatus}, and its response names no image`,
        );
      }
      state.taskStatus = task.taskStatus;
      if (ended) return task;
      state.images = imagesOf(task, secret);
      await files.download(state);
      return undefined;
    });
  }

  function imagesOf({ results }: Task, secret: boolean): ImageOutput[] {
    return results.map((result) =>
      "url" in result ? result : { error: `${result.code}: ${shownReason(result.message, secret)}` },
    );
  }

  /**
   * Whether a saved task that was still running has failed. Its replacement then shows in the preview, before it is
   * paid for.
   */
  async function hasEndedBadly(state: ImageState): Promise<boolean> {
    if (taskProgress(state.taskStatus) === "ended") return true;
    try {
      const task = await service.images.poll(state.taskId);
      return taskProgress(task.taskStatus) === "ended";
    } catch (error) {
      log.warn(`${nameIn(state.label)}: ${describeThrown(error).message}`);
      return false;
    }
  }

  function endedBadly({ taskId, taskStatus, code, message }: Task, secret: boolean): CloudVoiceError {
    const why =
      taskStatus.toUpperCase() === "UNKNOWN"
        ? "the service does not know the task; it forgets tasks after a day"
        : (message ?? "the service gave no reason");
    return new CloudVoiceError(`the image task ${taskId} ended as ${taskStatus}: ${shownReason(why, secret)}`, {
      code,
    });
  }

  /** The service may quote a prompt, which may be secret. */
  function shownReason(reason: string, secret: boolean): string {
    return secret ? hiddenReason : redactReason(reason, settings.apiKey ?? "\0");
  }

  /** `images` is the mark that a prompt is secret (program/secret-mark.ts). */
  function hasSecretInput(inputs: object): boolean {
    return (inputs as Props).images === "" || secrets.of(inputs as Props).size > 0;
  }
}

type Submitted = Pick<ImageOutputs, "taskId" | "taskStatus" | "requestId">;

/** If the work fails, the engine saves the resource as `state` is by then. */
async function withPartialState<T>(
  state: Omit<ImageState, "saveTo"> & { saveTo?: string | undefined },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = `${describeThrown(error).message} [task ${state.taskId}: kept, and not submitted again]`;
    throw new InitializationFailed(state.taskId, { ...state }, reason);
  }
}
