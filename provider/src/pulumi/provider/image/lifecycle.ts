import pLimit from "p-limit";
import { describeThrown } from "../../../describe-thrown";
import { CloudVoiceError, InputError } from "../../../errors";
import {
  type ImageOutputs,
  isDoubtful,
  needsDownload,
  plannedImages,
  taskProgress,
  timeoutMsOf,
} from "../../../rules/image";
import {
  adoptedTaskProblem,
  type ImageInputs,
  imageInputs,
  imageWarnings,
  mostBytes,
  storageHint,
} from "../../../rules/image-inputs";
import {
  changedInputs,
  checkFailure,
  checkInputs,
  type InputProblem,
  problemsWith,
  replacingValues,
} from "../../../rules/inputs";
import { doubtfulTask, imageQuestion } from "../../../rules/pay-again";
import type { Question } from "../../../rules/question";
import { isBucket, isSamePlace } from "../../../rules/storage";
import { isUnread, isUnreadId, unreadIdOf } from "../../../service/billed-requests";
import { missingClientProblem } from "../../../service/bucket";
import type { Task } from "../../../service/images/client";
import { lookUpTask, waitForTask } from "../../../service/images/wait";
import { pacer, steady } from "../../../service/clock";
import { shownReason } from "../../../service/redact";
import { oncePer } from "../../../once";
import { InitializationFailed, type Lifecycle, mayBeSecret, type Resource, withOutputsOf } from "../lifecycle";
import { leftBehind } from "../left-behind";
import type { Operation } from "../operation";
import { type RequestKey, requestKey } from "../request-key";
import { stackOfUrn } from "../../../stacks/names";
import { describeImages } from "./describe";
import { ImageFiles, pictureStores } from "./files";

/**
 * One submission, whatever happens after it: once the task has an id, every failure saves the resource with that id,
 * and the next update goes on with the task instead of paying for another.
 */
export function imageLifecycle(operation: Operation): Lifecycle<ImageInputs, ImageOutputs> {
  const { settings, service, log, billed, journal, states, questions } = operation;
  const running = pLimit(settings.maxRunningImages ?? Infinity);
  const submissionTurn = pacer(1000 / settings.imageSubmitsPerSecond, steady(service.clock));
  const storeAt = pictureStores(operation);
  const askBucket = oncePer((bucket: string) => storeAt(bucket)?.assertUsable(0));
  /** How much this operation saves in each folder at most. */
  const bytesTo = new Map<string, number>();
  const filesOf = (resource: Resource) => new ImageFiles(operation, storeAt, resource);

  return {
    async check(news, olds, resource, unknown) {
      states.learnStack(resource.identity);
      const problems = checkInputs(imageInputs, news, unknown);
      const shown = Object.fromEntries(Object.entries(news).filter(([name]) => resource.secrets?.has(name) !== true));
      if (problems.length === 0) {
        for (const warning of imageWarnings(shown)) log.warn(`${resource.name}: ${warning}`);
        const found = contextProblems(olds ?? {}, news, resource, unknown);
        problems.push(...(found.length > 0 ? found : problemsWith("", await storeProblem(olds, news))));
      }
      const failures = problems.map((problem) => checkFailure(problem, resource.secrets));
      return { inputs: news, failures };
    },

    async diff(id, olds, news, resource, unknown) {
      // The state has the task.
      await journal.forgetId(id);
      const replaces = changedInputs(imageInputs, "replaces", olds, news, unknown);
      if (replaces.length > 0) return { replaces, updates: false };
      if (isUnreadId(id) && news.adoptTask !== undefined) return { replaces: ["taskId"], updates: false };
      if (taskProgress(olds.taskStatus) !== "succeeded") {
        const isLost = await isToBeReplaced(olds, resource);
        return isLost ? { replaces: ["taskStatus"], updates: false } : { replaces, updates: true };
      }
      const changed = changedInputs(imageInputs, "updates", olds, news, unknown).length > 0;
      // The saved files are not looked for, because other machines may not have them. A refresh does that.
      const isIncomplete = olds.saveTo !== undefined && olds.images.some(needsDownload);
      return { replaces, updates: changed || isIncomplete };
    },

    create(inputs, resource) {
      const hint = storageHint(inputs, Boolean(process.env.CI));
      if (hint !== undefined) log.line(`${resource.name}: ${hint}`);
      return running(async () => {
        const submitted =
          (await adoptedTask(inputs, resource)) ??
          (await interruptedTask(inputs, resource)) ??
          (await submit(inputs, resource));
        const state: ImageOutputs = { ...inputs, ...submitted, images: [] };
        const task = await finish(state, resource);
        if (task !== undefined) throw failedTask(task, resource);
        return { id: state.taskId, state };
      });
    },

    async update(_id, olds, news, resource) {
      const state = withOutputsOf(imageInputs, olds, news);
      state.images = [...olds.images];
      if (isUnreadId(olds.taskId)) throw await unreadFailure(olds, resource);
      if (taskProgress(olds.taskStatus) !== "succeeded") {
        // A resumed task counts as a running one, as a new one does.
        const task = await running(() => finish(state, resource));
        if (task === undefined) return state;
        const reason = `${failedTask(task, resource).message}; the next preview shows its replacement, a new submission`;
        throw new InitializationFailed(state.taskId, state, reason);
      }
      // Until every image is in the new place, the state names the old one, and the next update starts again.
      const hasMoved = !isSamePlace(olds.saveTo, state.saveTo);
      const partial = hasMoved ? { ...state, saveTo: olds.saveTo, images: olds.images } : state;
      const files = filesOf(resource);
      const untilMs = service.clock.now() + timeoutMsOf({ ...resource, ...state });
      await withPartialState(partial, () =>
        hasMoved ? files.saveElsewhere(state, olds.saveTo, untilMs) : files.download(state, untilMs),
      );
      return state;
    },

    planUpdate: (olds, news) => Promise.resolve(plannedImages(olds, news)),

    /**
     * Never submits. It looks up a task that was still running. The service forgets finished tasks, so for these the
     * state is right, and only their saved images may be missing or damaged.
     */
    async read(_id, olds, resource) {
      const state = { ...olds, images: [...olds.images] };
      if (taskProgress(state.taskStatus) !== "waiting") {
        await filesOf(resource).restore(state);
        return state;
      }
      if (isUnreadId(state.taskId)) {
        log.warn(`${resource.name}: the response to its submission was not understood (${state.taskId})`);
        return state;
      }
      const { taskStatus, message } = await service.images.poll(state.taskId, { secret: mayBeSecret(resource) });
      if (isDoubtful(taskStatus)) {
        log.warn(`${resource.name}: ${doubtOf({ taskId: state.taskId, taskStatus, message }, resource)} It is kept`);
        return state;
      }
      // The images of a task that succeeded have yet to be downloaded, which the next update does: until then it
      // counts as running.
      return { ...state, taskStatus: taskProgress(taskStatus) === "succeeded" ? state.taskStatus : taskStatus };
    },

    /** The service forgets tasks by itself, and saved files belong to the user. */
    delete: (id) => journal.forgetId(id),

    /** The service does not report what a task was made from, so its prompt may be a secret of the program. */
    async import(id) {
      const unknownSecrets = { secrets: undefined };
      const task = await lookUp(id, unknownSecrets);
      if (task.progress === "doubtful") throw new InputError(doubtOf(task, unknownSecrets));
      if (task.progress === "failed") throw failedTask(task, unknownSecrets);
      const state: Pick<ImageOutputs, "taskId" | "taskStatus" | "images" | "expiresAt" | "n"> = {
        taskId: id,
        taskStatus: task.taskStatus,
        images: [],
      };
      // They have yet to be downloaded, which the next update does. A response that may quote a prompt is not kept.
      if (task.progress === "succeeded")
        describeImages(state, task, (reason) => shown(reason, unknownSecrets), service.clock.now());
      return { inputs: {}, state: { ...state, taskOutput: undefined } };
    },
  };

  /** Problems of inputs that depend on each other or on the state. */
  function contextProblems(
    olds: Partial<ImageInputs>,
    news: Partial<ImageInputs>,
    { name }: Resource,
    unknown: ReadonlySet<string>,
  ): InputProblem[] {
    const { saveTo, adoptTask } = news;
    const missing = saveTo !== undefined && isBucket(saveTo) ? missingClientProblem(process.cwd()) : undefined;
    if (adoptTask !== undefined && olds.model !== undefined && adoptTask !== olds.adoptTask)
      log.warn(`${name}: adoptTask is read when an image is created. One that exists stays as it is`);
    return [
      ...problemsWith("", missing && `saveTo ${missing}`),
      ...problemsWith("adoptTask", adoptedTaskProblem(olds, news, unknown)),
    ];
  }

  /** Asks the place of pictures that are to come: those of a new image, and those that go to another place. */
  async function storeProblem(olds: Partial<ImageInputs> | undefined, news: Partial<ImageInputs>) {
    const { saveTo } = news;
    if (saveTo === undefined || (olds !== undefined && isSamePlace(olds.saveTo, saveTo))) return undefined;
    const bytes = (bytesTo.get(saveTo) ?? 0) + mostBytes(news);
    bytesTo.set(saveTo, bytes);
    const asked = isBucket(saveTo) ? askBucket(saveTo) : storeAt(saveTo)?.assertUsable(bytes);
    return asked?.then(
      () => undefined,
      (error: unknown) => describeThrown(error).message,
    );
  }

  async function adoptedTask({ adoptTask }: ImageInputs, resource: Resource): Promise<Submitted | undefined> {
    if (adoptTask === undefined) return undefined;
    const task = await lookUp(adoptTask, resource);
    if (task.progress === "failed" || task.progress === "doubtful") {
      const advice = "Take adoptTask out to generate the image.";
      const why = task.progress === "failed" ? failedTask(task, resource).message : doubtOf(task, resource);
      throw new InputError(`adoptTask: ${why}`, { advice });
    }
    log.line(`${resource.name}: takes over the task ${adoptTask}, as adoptTask says, instead of paying for another`);
    return { taskId: adoptTask, taskStatus: task.taskStatus };
  }

  /**
   * The task that an earlier attempt submitted for this resource, unless it ended badly. The service lists no tasks, so
   * one whose id is lost can't be found again. Workaround: the engine saves an id only when `create` ends, so the
   * journal gets it as soon as it is known.
   */
  async function interruptedTask(inputs: ImageInputs, resource: Resource): Promise<Submitted | undefined> {
    const { key, former } = await keyOf(inputs, resource);
    const state = { ...inputs, ...unreadTask(unreadIdOf(key)) };
    const question = payAgainQuestion(state, inputs, resource);
    const request = { name: resource.name, what: "image tasks", question, again: again(resource), canAdopt: true };
    const note = await leftBehind(operation, { key, former }, request);
    if (note === undefined) return undefined;
    if (note.answered) {
      if (await questions.isAccepted(question, again(resource))) return undefined;
      return failUnread(key, state, resource);
    }
    if (note.id === undefined) {
      const end = note.lost ? "got no usable response to its submission of" : "was interrupted while it submitted";
      log.line(
        `${resource.name}: an earlier attempt ${end} this task. The service lists no tasks, so it is submitted again, ` +
          "and the first one may have been billed",
      );
      return undefined;
    }
    const { id: taskId } = note;
    const pending = { ...inputs, taskId, taskStatus: "PENDING", images: [] };
    const found = await withPartialState(pending, () => lookUp(taskId, resource));
    const { taskStatus, progress } = found;
    if (progress === "failed") return undefined;
    if (progress === "doubtful") {
      const doubtful = payAgainQuestion(found, inputs, resource);
      if (await questions.isAccepted(doubtful, again(resource))) return undefined;
      throw new InitializationFailed(taskId, { ...pending, taskStatus }, await questions.textOf(doubtful), true);
    }
    log.line(
      `${resource.name}: goes on with the task ${taskId}, which an earlier attempt submitted, ` +
        "instead of paying for another. To make another, change triggers",
    );
    return { taskId, taskStatus };
  }

  /** Looks a task up. A doubtful state is looked up again before it counts as the end. */
  function lookUp(taskId: string, resource: Pick<Resource, "secrets">) {
    return lookUpTask(taskId, pollingOf(resource));
  }

  function pollingOf(resource: Pick<Resource, "secrets">) {
    const { imagePollMs: pollMs, settleMs } = settings;
    return { client: service.images, secret: mayBeSecret(resource), clock: service.clock, pollMs, settleMs };
  }

  async function submit(inputs: ImageInputs, resource: Resource): Promise<Submitted> {
    await storeAt(inputs.saveTo)?.assertUsable(mostBytes(inputs));
    // Wait for the turn before the call and not before each attempt: the throttle may delay the attempts further.
    await submissionTurn();
    const { key } = await keyOf(inputs, resource);
    try {
      return await billed.send(
        "images",
        key,
        async (sending) => {
          const submitted = await service.images.submit(inputs, { sending, secret: mayBeSecret(resource) });
          // At once: if this machine and its journal are lost, a person can take the task over (adoptTask).
          log.line(`${resource.name}: submitted as the task ${submitted.taskId}`);
          return submitted;
        },
        ({ taskId }) => ({ id: taskId }),
      );
    } catch (error) {
      if (!isUnread(error)) throw error;
      const { received } = error as { received?: unknown };
      const state = {
        ...inputs,
        ...unreadTask(unreadIdOf(key, error)),
        ...(received !== undefined && { taskOutput: received }),
      };
      return failUnread(key, state, resource, error);
    }
  }

  async function failUnread(
    key: string,
    state: ImageOutputs,
    resource: Resource,
    error?: CloudVoiceError,
  ): Promise<never> {
    const failure = await unreadFailure(state, resource, error);
    // The state now has the task, so the note is not needed.
    await journal.remove(key);
    throw failure;
  }

  /**
   * A submission that was probably billed, and whose response was not understood: it is kept, and never sent again by
   * itself.
   */
  async function unreadFailure(state: ImageOutputs, resource: Resource, error?: CloudVoiceError) {
    const found =
      state.taskOutput === undefined ? "" : ` What came is the output taskOutput: ${shownStart(state.taskOutput)}.`;
    const question = await questions.textOf(payAgainQuestion(state, state, resource));
    const reason = `${error ? `${error.message} ` : ""}${question}${found}`;
    return new InitializationFailed(state.taskId, { ...state }, reason, true);
  }

  /** The question whether to submit and pay for another task, although the service may still have this one. */
  function payAgainQuestion(
    task: Pick<Task, "taskId" | "taskStatus"> & { message?: string | undefined },
    inputs: object,
    resource: Pick<Resource, "name" | "identity" | "secrets">,
  ): Question {
    const urn = resource.identity?.savedUrn ?? resource.identity?.urn;
    const asked = {
      name: resource.name,
      origin: settings.imageBaseUrl,
      stack: stackOfUrn(urn),
      urn,
      inputs,
      prices: settings,
    };
    return imageQuestion(task.taskId, isUnreadId(task.taskId) ? undefined : doubtOf(task, resource), asked);
  }

  function doubtOf(
    { taskId, taskStatus, message = "" }: Pick<Task, "taskId" | "taskStatus"> & { message?: string | undefined },
    resource: Pick<Resource, "secrets">,
  ): string {
    return doubtfulTask(taskId, taskStatus, message === "" ? "" : shown(message, resource));
  }

  function keyOf(inputs: ImageInputs, resource: Resource): Promise<RequestKey> {
    return requestKey(operation, "image", service.imageFingerprint(), resource, replacingValues(imageInputs, inputs));
  }

  /**
   * Waits for the task and downloads its images into `state`. Returns the task if it ended badly; any other failure
   * keeps the state.
   */
  async function finish(state: ImageOutputs, resource: Resource): Promise<Task | undefined> {
    const timeoutMs = timeoutMsOf({ ...resource, ...state });
    const untilMs = service.clock.now() + timeoutMs;
    return withPartialState(state, async () => {
      const task = await waitForTask(state.taskId, state.taskStatus, {
        ...pollingOf(resource),
        timeoutMs,
        log: (line) => log.progress(`${resource.name}: ${line}`),
      });
      state.taskStatus = task.taskStatus;
      if (task.progress === "doubtful") {
        const question = payAgainQuestion(task, state, resource);
        throw new InitializationFailed(state.taskId, { ...state }, await questions.textOf(question), true);
      }
      if (task.progress !== "succeeded") return task;
      const problem = describeImages(state, task, (reason) => shown(reason, resource), service.clock.now());
      if (problem !== undefined) log.warn(`${resource.name}: ${problem}`);
      const files = filesOf(resource).with(task);
      await files.download(state, untilMs);
      files.warnOfInline(state);
      return undefined;
    });
  }

  /**
   * Whether to submit another task in place of this one: it failed, or it is doubtful and a person has agreed. The
   * preview then shows the replacement before it is paid for.
   */
  async function isToBeReplaced(state: ImageOutputs, resource: Resource): Promise<boolean> {
    if (taskProgress(state.taskStatus) === "failed") return true;
    try {
      const task = isUnreadId(state.taskId) ? undefined : await lookUp(state.taskId, resource);
      if (task && task.progress !== "doubtful") return task.progress === "failed";
      const question = payAgainQuestion(task ?? state, state, resource);
      if (await questions.isAccepted(question, again(resource))) return true;
      // A refresh of a dynamic provider does not know the stack, so it would compute the id of another question.
      if (resource.identity !== undefined) log.warn(await questions.textOf(question));
    } catch (error) {
      log.warn(`${resource.name}: ${describeThrown(error).message}`);
    }
    return false;
  }

  function failedTask({ taskId, taskStatus, code, message = "" }: Task, resource: Pick<Resource, "secrets">) {
    return new CloudVoiceError(`the image task ${taskId} ended as ${taskStatus}: ${shown(message, resource)}`, {
      code,
    });
  }

  /** The service may quote a prompt, which may be secret. */
  function shown(reason: string, resource: Pick<Resource, "secrets">): string {
    return shownReason(reason, settings.apiKey ?? "\0", mayBeSecret(resource));
  }
}

const again = ({ name }: Resource) => `${name}: another task is submitted`;

const unreadTask = (taskId: string) => ({ taskId, taskStatus: "UNREAD", images: [] });

const mostShown = 500;

function shownStart(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= mostShown ? text : `${text.slice(0, mostShown)} …`;
}

type Submitted = Pick<ImageOutputs, "taskId" | "taskStatus" | "requestId">;

/** If the work fails, the engine saves the resource as `state` is by then. */
async function withPartialState<T>(
  state: Omit<ImageOutputs, "saveTo"> & { saveTo?: string | undefined },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InitializationFailed) throw error;
    const reason = `${describeThrown(error).message} [task ${state.taskId}: kept, and not submitted again]`;
    throw new InitializationFailed(state.taskId, { ...state }, reason);
  }
}
