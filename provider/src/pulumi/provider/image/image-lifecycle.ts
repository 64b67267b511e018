import pLimit from "p-limit";
import { describeThrown } from "../../../describe-thrown";
import { InputError } from "../../../errors";
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
import { changedInputs, checkFailure, checkInputs, type InputProblem, problemsWith } from "../../../rules/inputs";
import { isRecord } from "../../../rules/is-record";
import { isBucket, isSamePlace } from "../../../rules/storage";
import { unknownValue } from "../../../rules/unknown";
import { isUnreadId } from "../../../service/billed-requests";
import { missingClientProblem } from "../../../service/bucket";
import type { Task } from "../../../service/images/client";
import { waitForTask } from "../../../service/images/wait";
import { oncePer } from "../../../once";
import { InitializationFailed, type Lifecycle, mayBeSecret, type Resource, withOutputsOf } from "../lifecycle";
import type { Operation } from "../operation";
import { isPicture } from "../../../service/responses/pictures";
import { describeImages } from "./describe";
import { ImageFiles, pictureStores } from "./files";
import { ImageTasks, withPartialState } from "./tasks";

/**
 * One submission, whatever happens after it: once the task has an id, every failure saves the resource with that id,
 * and the next update goes on with the task instead of paying for another.
 */
export function imageLifecycle(operation: Operation): Lifecycle<ImageInputs, ImageOutputs> {
  const { settings, service, log, journal, questions } = operation;
  const running = pLimit(settings.maxRunningImages ?? Infinity);
  const storeAt = pictureStores(operation);
  const tasks = new ImageTasks(operation, storeAt);
  const askBucket = oncePer((bucket: string) => storeAt(bucket)?.assertUsable(0));
  /** By folder or bucket: how many bytes this operation saves there at most. */
  const bytesTo = new Map<string, number>();
  const filesOf = (resource: Resource) => new ImageFiles(operation, storeAt, resource);

  return {
    async check(news, olds, resource, unknown) {
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
        const isLost = await tasks.isToBeReplaced(olds, resource);
        return isLost ? { replaces: ["taskStatus"], updates: false } : { replaces, updates: true };
      }
      const changed = changedInputs(imageInputs, "updates", olds, news, unknown).length > 0;
      // Do not look for the saved files, because other machines may lack them. A refresh looks for them.
      const isIncomplete = olds.saveTo !== undefined && olds.images.some(needsDownload);
      return { replaces, updates: changed || isIncomplete };
    },

    create(inputs, resource) {
      const hint = storageHint(inputs, Boolean(process.env.CI));
      if (hint !== undefined) log.line(`${resource.name}: ${hint}`);
      return running(async () => {
        const submitted = (await tasks.adopted(inputs, resource)) ?? (await tasks.submitted(inputs, resource));
        const state: ImageOutputs = { ...inputs, ...submitted, images: [] };
        const task = await finish(state, resource);
        if (task !== undefined) throw tasks.failed(task, resource);
        return { id: state.taskId, state };
      });
    },

    async update(_id, olds, news, resource) {
      const state = withOutputsOf(imageInputs, olds, news);
      state.images = [...olds.images];
      if (isUnreadId(olds.taskId)) throw await tasks.unreadFailure(olds, resource);
      if (taskProgress(olds.taskStatus) !== "succeeded") {
        // A resumed task counts against `maxRunningImages` too.
        const task = await running(() => finish(state, resource));
        if (task === undefined) return state;
        const reason = `${tasks.failed(task, resource).message}; the next preview shows its replacement, a new submission`;
        throw new InitializationFailed(state.taskId, state, reason);
      }
      // Until every image is in the new place, the state names the old place, and the next update starts again.
      const hasMoved = !isSamePlace(olds.saveTo, state.saveTo);
      const partial = hasMoved ? { ...state, saveTo: olds.saveTo, images: olds.images } : state;
      const files = filesOf(resource);
      const untilMs = service.clock.now() + timeoutMsOf({ ...resource, ...state });
      await withPartialState(partial, () =>
        hasMoved ? files.saveElsewhere(state, olds.saveTo, untilMs) : files.download(state, untilMs),
      );
      return state;
    },

    async planUpdate(olds, news, resource) {
      const { saveTo } = news;
      const planned = plannedImages(olds, news);
      if (!Array.isArray(planned.images) || saveTo === undefined || saveTo === unknownValue) return planned;
      const files = filesOf(resource);
      // In some languages, one unknown field makes the whole output unknown. A resource that reads it then shows as
      // replaced.
      const images = planned.images.map(async (image: unknown, index) => {
        if (!isRecord(image) || image.file !== unknownValue) return image;
        return { ...image, file: (await files.addressElsewhere(olds, index, saveTo)) ?? unknownValue };
      });
      return { ...planned, images: await Promise.all(images) };
    },

    /**
     * Looks up a task that was still running, and never submits one. The service forgets finished tasks, so the state
     * counts for them. Only their saved images may be missing or damaged.
     */
    async read(_id, olds, resource) {
      const state = { ...olds, images: [...olds.images] };
      if (taskProgress(state.taskStatus) !== "waiting") {
        readAgain(state, resource);
        await filesOf(resource).restore(state);
        return state;
      }
      if (isUnreadId(state.taskId)) {
        log.warn(`${resource.name}: the response to its submission was not understood (${state.taskId})`);
        return state;
      }
      const { taskStatus, message } = await service.images.poll(state.taskId, { secret: mayBeSecret(resource) });
      if (isDoubtful(taskStatus)) {
        log.warn(
          `${resource.name}: ${tasks.doubtOf({ taskId: state.taskId, taskStatus, message }, resource)} It is kept`,
        );
        return state;
      }
      // A task that has just succeeded still counts as running, until the next update has downloaded its images.
      return { ...state, taskStatus: taskProgress(taskStatus) === "succeeded" ? state.taskStatus : taskStatus };
    },

    /** The service forgets tasks by itself, and saved files belong to the user. */
    delete: (id) => journal.forgetId(id),

    /** The service does not report what a task was made from, so its prompt may be a secret of the program. */
    async import(id) {
      const unknownSecrets = { secrets: undefined };
      const task = await tasks.lookUp(id, unknownSecrets);
      if (task.progress === "doubtful") throw new InputError(tasks.doubtOf(task, unknownSecrets));
      if (task.progress === "failed") throw tasks.failed(task, unknownSecrets);
      const state: Pick<ImageOutputs, "taskId" | "taskStatus" | "images" | "expiresAt" | "n"> = {
        taskId: id,
        taskStatus: task.taskStatus,
        images: [],
      };
      // The next update downloads the images. The response is not kept, because it may quote a prompt.
      if (task.progress === "succeeded")
        describeImages(state, task, (reason) => tasks.shown(reason, unknownSecrets), service.clock.now());
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

  /** Checks the place where pictures will be saved: for a new image, and if `saveTo` names another place. */
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

  /** Reads a kept response with the current setting `forms`. The next update saves the images. */
  function readAgain(state: ImageOutputs, resource: Resource): void {
    const { taskId, taskOutput } = state;
    if (taskOutput === undefined || isUnreadId(taskId)) return;
    const results = service.images.picturesIn(taskId, taskOutput);
    if (!results.some(isPicture)) return;
    delete state.taskOutput;
    const task = { taskId, results, fields: "", raw: undefined, missing: [] };
    const problem = describeImages(state, task, (reason) => tasks.shown(reason, resource), service.clock.now());
    if (problem !== undefined) log.warn(`${resource.name}: ${problem}`);
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
        ...tasks.pollingOf(resource),
        timeoutMs,
        log: (line) => log.progress(`${resource.name}: ${line}`),
      });
      state.taskStatus = task.taskStatus;
      if (task.progress === "doubtful") {
        const question = tasks.payAgainQuestion(task, state, resource);
        throw new InitializationFailed(state.taskId, { ...state }, await questions.textOf(question), true);
      }
      if (task.progress !== "succeeded") return task;
      const problem = describeImages(state, task, (reason) => tasks.shown(reason, resource), service.clock.now());
      if (problem !== undefined) log.warn(`${resource.name}: ${problem}`);
      const files = filesOf(resource).with(task);
      await files.download(state, untilMs);
      files.warnOfInline(state);
      return undefined;
    });
  }
}
