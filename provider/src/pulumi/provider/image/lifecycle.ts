import { describeThrown } from "../../../describe-thrown";
import { CloudVoiceError, InputError, UnexpectedAnswerError } from "../../../errors";
import { type ImageOutputs, isExpired, isUndescribed, needsDownload, taskProgress } from "../../../rules/image";
import {
  adoptedTaskProblem,
  type ImageInputs,
  imageInputs,
  imageWarnings,
  storageHint,
} from "../../../rules/image-inputs";
import { changedInputs, type CheckFailure, checkFailure, checkInputs } from "../../../rules/inputs";
import { isBucket } from "../../../rules/storage";
import { unknownValue } from "../../../rules/unknown";
import { missingClientProblem } from "../../../service/bucket";
import type { Task } from "../../../service/images/client";
import { lookUpTask, waitForTask } from "../../../service/images/wait";
import { shownReason } from "../../../service/redact";
import { InitializationFailed, type Lifecycle, type Limits, type Props } from "../lifecycle";
import type { Operation } from "../operation";
import { failureWithoutSecrets } from "../secret-inputs";
import { describeImages } from "./describe";
import { ImageFiles } from "./files";
import { withPartialState } from "./partial-state";
import { deadlineOf, type ImageProps, type ImageState, nameIn, timeoutMsOf } from "./state";
import { ImageTasks } from "./tasks";

/**
 * One submission, whatever happens after it: once the task has an id, every failure saves the resource with that id,
 * and the next update goes on with the task instead of paying for another.
 */
export function imageLifecycle(operation: Operation): Lifecycle {
  const { settings, service, log, secrets, states, imageThrottle, assertEngineAlive } = operation;
  const tasks = new ImageTasks(operation);
  const files = new ImageFiles(operation);
  /** The images of which a check of this operation said that no input is secret, by their labels. */
  const open = new Set<unknown>();

  return {
    check(olds, { identity, secretInputs, ...news }, unknown) {
      states.learnStack(identity);
      const problems = checkInputs(imageInputs, news, unknown);
      const inputs: Props = { ...news };
      for (const name of unknown) inputs[name] = unknownValue;
      const secret = secrets.declare(inputs, secretInputs);
      if (!hasSecretInput(inputs)) open.add(news.label);
      const shown = Object.fromEntries(Object.entries(news).filter(([name]) => !secret.has(name)));
      if (problems.length === 0)
        for (const warning of imageWarnings(shown)) log.warn(`${nameIn(news.label)}: ${warning}`);
      const failures = problems.map((problem) => failureWithoutSecrets(checkFailure(problem), problem.input, secret));
      if (failures.length === 0) failures.push(...contextFailures(olds, news, unknown, secret));
      return Promise.resolve({ inputs, failures });
    },

    async diff(_id, props, news, unknown) {
      const olds = props as unknown as ImageState;
      // The state has the task.
      await tasks.forget(olds, olds.taskId);
      const replaces = changedInputs(imageInputs, "replaces", olds, news, unknown);
      if (replaces.length > 0) return { replaces, updates: false };
      if (taskProgress(olds.taskStatus) !== "succeeded") {
        const replacesTask = await hasEndedBadly(olds, !open.has(news.label));
        return replacesTask ? { replaces: ["taskStatus"], updates: false } : { replaces, updates: true };
      }
      const changed = changedInputs(imageInputs, "updates", olds, news, unknown).length > 0;
      // The saved files are not looked for, because other machines may not have them. A refresh does that.
      return {
        replaces,
        updates: changed || olds.images.some((image) => needsDownload(image) || isUndescribed(image)),
      };
    },

    create(props, limits) {
      const inputs = props as unknown as ImageProps;
      const hint = storageHint(inputs, Boolean(process.env.CI));
      if (hint !== undefined) log.line(`${nameIn(inputs.label)}: ${hint}`);
      return imageThrottle.run(async (acquireSlot) => {
        const submitted =
          (await adoptTask(inputs)) ?? (await resumeTask(inputs)) ?? (await submit(inputs, acquireSlot));
        const state: ImageState = { ...inputs, ...submitted, images: [] };
        const secret = hasSecretInput(inputs);
        const task = await finish(state, secret, limits);
        if (task !== undefined) throw endedBadly(task, secret);
        return { id: state.taskId, outs: { ...state } };
      });
    },

    async update(_id, props, news, limits) {
      const olds = props as unknown as ImageState;
      const { taskId, taskStatus, requestId, expiresAt } = olds;
      const state: ImageState = {
        ...(news as unknown as ImageProps),
        taskId,
        taskStatus,
        requestId,
        expiresAt,
        images: [...olds.images],
      };
      const secret = hasSecretInput(news);
      if (taskProgress(taskStatus) !== "succeeded") {
        // A resumed task counts as a running one, as a new one does.
        const task = await imageThrottle.run(() => finish(state, secret, limits));
        if (task !== undefined) {
          const reason = `${endedBadly(task, secret).message}; the next preview shows its replacement, a new submission`;
          throw new InitializationFailed(taskId, { ...state }, reason);
        }
      } else if (olds.saveTo === state.saveTo) {
        await withPartialState(state, () =>
          fetchImages(state, secret, () => files.download(state, deadlineOf(state, service.clock))),
        );
      } else {
        // Until every image is in the new place, the state names the old one, and the next update starts again.
        const partial = { ...state, saveTo: olds.saveTo, images: olds.images };
        await withPartialState(partial, () =>
          fetchImages(state, secret, () => files.saveElsewhere(state, olds.saveTo)),
        );
      }
      return { outs: { ...state } };
    },

    /**
     * Never submits. It looks up a task that was still running; a finished one is as the state says, because the
     * service forgets it. Only its saved images may be missing.
     */
    async read(_id, props) {
      const state = props as unknown as ImageState;
      if (taskProgress(state.taskStatus) !== "waiting") {
        await files.restore(state);
        return props;
      }
      // A refresh checks no inputs, so nobody knows whether one is secret.
      const { taskStatus } = await service.images.poll(state.taskId, { secret: true });
      // The images of a task that succeeded have yet to be downloaded, which the next update does: until then it
      // counts as running.
      return { ...props, taskStatus: taskProgress(taskStatus) === "succeeded" ? state.taskStatus : taskStatus };
    },

    /** The service forgets tasks by itself, and saved files belong to the user. */
    async delete(id, props) {
      await tasks.forget(props as unknown as ImageProps, id);
    },

    /** The service does not report what a task was made from, so its prompt may be a secret of the program. */
    async import(id) {
      const task = await lookUp(id, true);
      if (task.progress === "ended" && task.taskStatus.toUpperCase() === "UNKNOWN") return undefined;
      if (task.progress === "ended") throw endedBadly(task, true);
      // The images of a finished task have yet to be downloaded, which the next update does.
      const outs: Pick<ImageOutputs, "taskId" | "taskStatus" | "images" | "expiresAt"> = {
        taskId: id,
        taskStatus: task.taskStatus,
        images: [],
      };
      describeImages(outs, task, (reason) => shown(reason, true), service.clock.now());
      return { inputs: {}, outs: { ...outs } };
    },
  };

  /** What can't be said of one input alone. */
  function contextFailures(
    olds: Props,
    news: Props,
    unknown: ReadonlySet<string>,
    secret: ReadonlySet<string>,
  ): CheckFailure[] {
    const { saveTo, adoptTask } = news as Partial<ImageInputs>;
    const missing = saveTo !== undefined && isBucket(saveTo) ? missingClientProblem(process.cwd()) : undefined;
    const reason = adoptedTaskProblem(olds, news, unknown);
    if (adoptTask !== undefined && olds.model !== undefined && adoptTask !== olds.adoptTask)
      log.warn(`${nameIn(news.label)}: adoptTask is read at creation only, and this image exists already`);
    return [
      ...(missing === undefined ? [] : [{ property: "", reason: `saveTo ${missing}` }]),
      ...(reason === undefined ? [] : [failureWithoutSecrets({ property: "adoptTask", reason }, "adoptTask", secret)]),
    ];
  }

  async function adoptTask(inputs: ImageProps): Promise<Submitted | undefined> {
    const { adoptTask: taskId } = inputs;
    if (taskId === undefined) return undefined;
    const secret = hasSecretInput(inputs);
    const task = await lookUp(taskId, secret);
    if (task.progress === "ended") {
      const { message } = endedBadly(task, secret);
      throw new InputError(`adoptTask: ${message}`, { advice: "Take adoptTask out to generate the image." });
    }
    log.line(
      `${nameIn(inputs.label)}: takes over the task ${taskId}, as adoptTask says, instead of paying for another`,
    );
    return { taskId, taskStatus: task.taskStatus };
  }

  /** A state that means the end only if it is repeated is looked up again. */
  function lookUp(taskId: string, secret: boolean) {
    const { imagePollMs: pollMs, settleMs } = settings;
    return lookUpTask(taskId, { client: service.images, secret, clock: service.clock, pollMs, settleMs });
  }

  async function submit(inputs: ImageProps, acquireSlot: () => Promise<void>): Promise<Submitted> {
    await files.assertUsable(inputs.saveTo);
    // Before the call and not before each attempt: the service's own rate limit may hold the call back after it.
    await acquireSlot();
    const beforeSend = async () => {
      await assertEngineAlive();
      await tasks.beforeSubmit(inputs);
    };
    const submitted = await service.images
      .submit(inputs, { beforeSend, secret: hasSecretInput(inputs) })
      .catch(async (error: unknown) => {
        if (CloudVoiceError.is(error) && error.billed === "no") await tasks.forget(inputs);
        throw error;
      });
    // At once: if this machine and its journal are lost, a person can take the task over (adoptTask).
    log.line(`${nameIn(inputs.label)}: submitted as the task ${submitted.taskId}`);
    await tasks.submitted(inputs, submitted.taskId);
    return submitted;
  }

  /** The task that an earlier run submitted for this resource, unless it ended badly. */
  async function resumeTask(inputs: ImageProps): Promise<Submitted | undefined> {
    const taskId = await tasks.interrupted(inputs);
    if (taskId === undefined) return undefined;
    const { taskStatus, progress } = await lookUp(taskId, hasSecretInput(inputs));
    if (progress === "ended") return undefined;
    log.line(
      `${nameIn(inputs.label)}: goes on with the task ${taskId}, which an earlier run submitted, ` +
        "instead of paying for another. To make another, change triggers",
    );
    return { taskId, taskStatus };
  }

  /**
   * Waits for the task and downloads its images into `state`. Returns the task if it ended badly; any other failure
   * keeps the state.
   */
  async function finish(state: ImageState, secret: boolean, limits: Limits = {}): Promise<Task | undefined> {
    const timeoutMs = timeoutMsOf({ ...limits, ...state });
    const untilMs = service.clock.now() + timeoutMs;
    return withPartialState(state, async () => {
      const task = await waitForTask(state.taskId, state.taskStatus, {
        client: service.images,
        secret,
        clock: service.clock,
        pollMs: settings.imagePollMs,
        timeoutMs,
        settleMs: settings.settleMs,
        log: (line) => log.progress(`${nameIn(state.label)}: ${line}`),
      });
      const ended = taskProgress(task.taskStatus) !== "succeeded";
      if (!ended && task.results.length === 0) {
        throw new UnexpectedAnswerError(
          `the image task ${state.taskId} ended as ${task.taskStatus}, and its response names no image: ` +
            `it has ${task.fields}`,
        );
      }
      state.taskStatus = task.taskStatus;
      if (ended) return task;
      await fetchImages(state, secret, () => files.download(state, untilMs), task);
      return undefined;
    });
  }

  /**
   * Runs `fetch` for the images of a task that succeeded. Images that the service described in an unknown form are
   * asked for again, until the service has forgotten them; then they carry an error.
   */
  async function fetchImages(
    state: ImageState,
    secret: boolean,
    fetch: () => Promise<void>,
    described?: Task,
  ): Promise<void> {
    const task =
      described ?? (state.images.some(isUndescribed) ? await service.images.poll(state.taskId, { secret }) : undefined);
    const now = service.clock.now();
    const problem = task && describeImages(state, task, (reason) => shown(reason, secret), now);
    if (problem !== undefined && isExpired(state, now)) {
      state.images = state.images.map((image) => (isUndescribed(image) ? { error: problem } : image));
      log.warn(`${nameIn(state.label)}: ${problem}`);
    }
    await fetch();
    if (state.images.some(isUndescribed))
      throw new UnexpectedAnswerError(problem ?? "", { advice: "Install a newer version of pulumi-cloudvoice." });
  }

  /**
   * Whether a saved task that was still running has failed. Its replacement then shows in the preview, before it is
   * paid for. `secret`: whether an input is secret, or may be: a refresh asks too, without a check of the inputs.
   */
  async function hasEndedBadly(state: ImageState, secret: boolean): Promise<boolean> {
    if (taskProgress(state.taskStatus) === "ended") return true;
    try {
      return (await lookUp(state.taskId, secret)).progress === "ended";
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
    return new CloudVoiceError(`the image task ${taskId} ended as ${taskStatus}: ${shown(why, secret)}`, {
      code,
    });
  }

  /** The service may quote a prompt, which may be secret. */
  function shown(reason: string, secret: boolean): string {
    return shownReason(reason, settings.apiKey ?? "\0", secret);
  }

  /** `images` is the mark that a prompt is secret (program/secret-mark.ts). */
  function hasSecretInput(inputs: object): boolean {
    return (inputs as Props).images === "" || secrets.of(inputs as Props).size > 0;
  }
}

type Submitted = Pick<ImageOutputs, "taskId" | "taskStatus" | "requestId">;
