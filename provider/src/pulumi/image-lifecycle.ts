import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { changedFields, failuresOf } from "../decide/fields";
import {
  defaultTimeoutSeconds,
  imageFields,
  imageFileName,
  type ImageInputs,
  type ImageOutput,
  type ImageOutputs,
  imageWarnings,
  isUnfetched,
  taskProgress,
} from "../decide/image";
import { CloudVoiceError, describeThrown, NotFoundError, RejectedError } from "../errors";
import { withoutSecrets } from "../service/call";
import type { Task } from "../service/images/client";
import { LocalNotes, noteKey } from "../service/local-notes";
import { download, isAlive, parkCopy, settle } from "../service/images/download";
import { waitForTask } from "../service/images/wait";
import { type Lifecycle, NotYetRight, type Props } from "./dynamic-provider";
import { engineIsThere, imageLane, providerProcess, tell } from "./provider-process";
import { unknownValue } from "../decide/unknown";

/*
 * One submission, whatever happens after it: from the moment the task has an id, every failure saves the resource with that id,
 * and the next update goes on with the task instead of paying for another.
 */

interface ImageProps extends ImageInputs {
  /** The resource's name and four digits, for lines and files. */
  label: string;
}

type ImageState = ImageProps & ImageOutputs;

export const imageLifecycle: Lifecycle = {
  check(_olds, news, unknown) {
    const failures = failuresOf(imageFields, news, unknown, undefined);
    if (failures.length === 0) for (const warning of imageWarnings(news)) tell(`warning: ${nameIn(news.label)}: ${warning}`);
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
    return (await imageLane()).submitted(async (mayStart) => {
      const submitted = (await takeUp(inputs)) ?? (await submit(inputs, mayStart));
      const state: ImageState = { ...inputs, ...submitted, images: [] };
      const task = await finish(state);
      if (task !== undefined) throw endedBadly(task, inputs);
      return { id: state.taskId, outs: { ...state } };
    });
  },

  async update(_id, olds, news) {
    const { saveTo: oldFolder, ...kept } = olds as unknown as ImageState;
    const state = { ...kept, ...(news as unknown as ImageProps), images: kept.images };
    if (taskProgress(state.taskStatus) === "succeeded") {
      await keepingState(state, () => (news.saveTo !== oldFolder ? saveAgain(state) : fetchImages(state)));
      return { outs: { ...state } };
    }
    const task = await finish(state);
    if (task !== undefined) throw new NotYetRight(state.taskId, { ...state }, `${endedBadly(task, state).message}; the next preview shows its replacement, a new submission`);
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
    try {
      journal.forget(keyOf(props as unknown as ImageProps));
    } catch {
      // Without a key or an address nothing can be looked up, and a destroy of images needs neither.
    }
    return Promise.resolve();
  },
};

/*
 * The service lists no tasks, so a task whose id was lost is lost with its price. The engine saves an id only when the create
 * ends, and a run that is killed, or ended by a second Ctrl-C, saves nothing. So the id is also written down on this machine, as soon
 * as it is known, under everything that the task was made from; the service forgets tasks after a day, as the notes do. Where the
 * next run is on another machine, the task is paid for again.
 */
const journal = new LocalNotes("image-tasks");

function keyOf({ label, model, prompt, negativePrompt, size, n, promptExtend, watermark, triggers }: ImageProps): string {
  return noteKey(providerProcess().service.imageFingerprint(), label, model, prompt, negativePrompt, size, n, promptExtend, watermark, triggers);
}

type Submitted = Pick<ImageOutputs, "taskId" | "taskStatus" | "requestId">;

async function submit(inputs: ImageProps, mayStart: () => Promise<void>): Promise<Submitted> {
  const { service } = providerProcess();
  await mayStart();
  await engineIsThere();
  const submitted = await service.images.submit(inputs);
  journal.remember(keyOf(inputs), submitted.taskId);
  return submitted;
}

/** The task that an interrupted run on this machine submitted for this very resource, unless it ended badly. */
async function takeUp(inputs: ImageProps): Promise<Submitted | undefined> {
  const { service } = providerProcess();
  const taskId = journal.recall(keyOf(inputs), service.clock.now());
  if (taskId === undefined) return undefined;
  const { taskStatus } = await service.images.poll(taskId);
  if (!["waiting", "succeeded"].includes(taskProgress(taskStatus))) return undefined;
  tell(`${nameIn(inputs.label)}: goes on with the task ${taskId}, submitted from this machine before, instead of paying for another. To make another, change triggers`);
  return { taskId, taskStatus };
}

/** Waits for the task and fetches its images into `state`. Returns the task if it ended badly; any other failure keeps the state. */
async function finish(state: ImageState): Promise<Task | undefined> {
  const { service, settings } = providerProcess();
  return keepingState(state, async () => {
    const task = await waitForTask(state.taskId, state.taskStatus, {
      client: service.images,
      clock: service.clock,
      pollMs: settings.imagePollMs,
      timeoutMs: (state.timeoutSeconds ?? defaultTimeoutSeconds) * 1000,
      tell: (line) => tell(`${nameIn(state.label)}: ${line}`),
    });
    state.taskStatus = task.taskStatus;
    if (taskProgress(task.taskStatus) === "ended") return task;
    state.images = task.results.map((result) => ("url" in result ? result : { error: hidden(`${result.code}: ${result.message}`, state) }));
    await fetchImages(state);
    return undefined;
  });
}

async function keepingState<T>(state: ImageState, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new NotYetRight(state.taskId, { ...state }, `${describeThrown(error).message} [task ${state.taskId}: kept, and not submitted again]`);
  }
}

/** Fetches what is not there yet. An image that can't be had any more carries its error; a passing failure is thrown. */
async function fetchImages(state: ImageState): Promise<void> {
  for (const [index, image] of state.images.entries()) {
    if (isUnfetched(image) || isMissing(image)) await fetchImage(state, index);
  }
}

async function fetchImage(state: ImageState, index: number): Promise<void> {
  const image = state.images[index];
  if (image?.url === undefined) return;
  const { http, clock, maxRetries } = providerProcess().service;
  try {
    const got = await download({ http, clock, maxRetries }, image.url, state.saveTo === undefined ? undefined : resolve(state.saveTo));
    const { parked, extension, ...facts } = got;
    const file = parked === undefined || state.saveTo === undefined ? undefined : join(state.saveTo, imageFileName(state.label, index, extension));
    if (parked !== undefined && file !== undefined) await settle(parked, resolve(file));
    state.images[index] = { ...image, ...facts, ...(file !== undefined && { file }) };
  } catch (error) {
    if (!(error instanceof NotFoundError || error instanceof RejectedError)) throw error;
    if (image.sha256 === undefined) state.images[index] = { ...image, error: error.message };
    tell(`warning: ${nameIn(state.label)}: image ${index + 1} can't be fetched: ${error.message}`);
  }
}

/** For another folder: from the file saved before, else from the address while it lives, else one warning. */
async function saveAgain(state: ImageState): Promise<void> {
  for (const [index, image] of state.images.entries()) {
    const { file, ...rest } = image;
    state.images[index] = rest;
    if (state.saveTo === undefined || image.sha256 === undefined) continue;
    const extension = image.contentType === "image/jpeg" ? "jpg" : (image.contentType ?? "").replace(/^image\//, "").replace(/\+.*/, "");
    const target = join(state.saveTo, imageFileName(state.label, index, extension));
    const parked = file === undefined ? undefined : await parkCopy(resolve(file), image.sha256, resolve(target));
    if (parked === undefined) await fetchImage(state, index);
    else {
      await settle(parked, resolve(target));
      state.images[index] = { ...rest, file: target };
    }
  }
  await fetchImages(state);
}

function isMissing(image: ImageOutput): boolean {
  return image.file !== undefined && !existsSync(resolve(image.file));
}

/** Pipelines run on fresh machines: a missing file is fetched again while its address lives, and is no difference after that. */
async function canFetchAgain(state: ImageState): Promise<boolean> {
  const missing = state.images.filter(isMissing);
  for (const { url } of missing) if (url !== undefined && (await isAlive(providerProcess().service, url))) return true;
  if (missing.length > 0) {
    tell(
      `warning: ${nameIn(state.label)}: ${missing.map((image) => image.file).join(", ")} is not on this machine, and its address is dead. ` +
        "Nothing is done about it; to pay for it again, change triggers",
    );
  }
  return false;
}

/** Of a saved task that was still under way: replaced in the preview, before its new submission is paid. */
async function hasEndedBadly(state: ImageState): Promise<boolean> {
  if (taskProgress(state.taskStatus) === "ended") return true;
  try {
    const task = await providerProcess().service.images.poll(state.taskId);
    return taskProgress(task.taskStatus) === "ended";
  } catch (error) {
    tell(`warning: ${nameIn(state.label)}: ${describeThrown(error).message}`);
    return false;
  }
}

function endedBadly({ taskId, taskStatus, code, message }: Task, inputs: ImageInputs): CloudVoiceError {
  const why = taskStatus.toUpperCase() === "UNKNOWN" ? "the service does not know the task (any more: it forgets tasks after a day)" : (message ?? "the service gave no reason");
  return new CloudVoiceError(hidden(`the image task ${taskId} ended as ${taskStatus}: ${why}`, inputs), { code });
}

/** Prompts may be secret, and the service may quote them. */
function hidden(text: string, { prompt, negativePrompt }: ImageInputs): string {
  return withoutSecrets(text, providerProcess().settings.apiKey ?? "\0", [prompt, negativePrompt]);
}

function nameIn(label: unknown): string {
  return String(label).replace(/-[0-9a-f]{4}$/, "");
}
