import { type ImageOutputs, needsDownload, taskProgress } from "../../rules/image";
import { adoptedTaskProblem, type ImageInputs, imageInputs, imageWarnings, mostBytes } from "../../rules/image-fields";
import type { Lifecycle, Resource } from "../lifecycle";
import type { Operation, Reading } from "../operation";
import { createImage, planImage, updateImage } from "./create";
import { ImageTasks } from "./tasks";
import { importImage, readImage } from "./read";
import {
  changedInputs,
  type CheckFailure,
  checkFailure,
  checkInputs,
  type InputProblem,
  problemsWith,
} from "../../rules/inputs";
import { isBucket, isSamePlace } from "../../rules/storage";
import { missingClientProblem } from "../../service/bucket";
import { isUnreadId } from "../billed-once";

/**
 * The life cycle of an image. Once its task has an id, every failure saves the resource with that id, and the next
 * update continues with the task instead of paying for a new task.
 */
export function imageLifecycle(operation: Operation): Lifecycle<ImageInputs, ImageOutputs> {
  const tasks = new ImageTasks(operation);
  return {
    check: (...call) => checkImage(tasks, ...call),
    diff: (...call) => diffImage(tasks, ...call),
    create: (...call) => createImage(tasks, ...call),
    update: (_id, ...call) => updateImage(tasks, ...call),
    planUpdate: (...call) => planImage(tasks, ...call),
    read: (_id, ...call) => readImage(tasks, ...call),
    /** Removes only the journal's note: the service forgets tasks by itself, and saved files belong to the user. */
    delete: (id) => operation.journal.forgetId(id),
    import: (id) => importImage(tasks, id),
  };
}

async function checkImage(
  tasks: ImageTasks,
  news: Partial<ImageInputs>,
  olds: Partial<ImageInputs> | undefined,
  resource: Resource,
  unknown: ReadonlySet<string>,
): Promise<{ inputs: Partial<ImageInputs>; failures: CheckFailure[] }> {
  const { name, secrets } = resource;
  const { log } = tasks.operation;
  const problems = checkInputs(imageInputs, news, unknown);
  if (problems.length === 0) {
    const shown = Object.fromEntries(Object.entries(news).filter(([input]) => secrets?.has(input) !== true));
    for (const warning of imageWarnings(shown)) log.warn(`${name}: ${warning}`);
    if (news.adoptTask !== undefined && olds?.model !== undefined && news.adoptTask !== olds.adoptTask)
      log.warn(`${name}: adoptTask has no effect: it is read when an image is created, and this image exists already`);
    problems.push(...(await contextProblems(tasks.operation, olds, news, unknown)));
  }
  return { inputs: news, failures: problems.map((problem) => checkFailure(problem, secrets)) };
}

/** Problems that depend on the state or on the place where pictures will be saved. */
async function contextProblems(
  { pictures }: Reading,
  olds: Partial<ImageInputs> | undefined,
  news: Partial<ImageInputs>,
  unknown: ReadonlySet<string>,
): Promise<InputProblem[]> {
  const { saveTo } = news;
  const missing = saveTo !== undefined && isBucket(saveTo) ? missingClientProblem(process.cwd()) : undefined;
  const problems = [
    ...problemsWith("", missing && `saveTo ${missing}`),
    ...problemsWith("adoptTask", adoptedTaskProblem(olds ?? {}, news, unknown)),
  ];
  const isNewPlace = saveTo !== undefined && (olds === undefined || !isSamePlace(olds.saveTo, saveTo));
  if (problems.length > 0 || !isNewPlace) return problems;
  return problemsWith("", await pictures.problemWith(saveTo, mostBytes(news)));
}

/** A replacement is billed. An update is not: e.g. it downloads a missing image. */
async function diffImage(
  tasks: ImageTasks,
  id: string,
  olds: ImageOutputs,
  news: ImageInputs,
  resource: Resource,
  unknown: ReadonlySet<string>,
): Promise<{ replaces: string[]; updates: boolean }> {
  // The state has the task, so the note is not needed any more.
  await tasks.operation.journal.forgetId(id);
  const replaces = changedInputs(imageInputs, "replaces", olds, news, unknown);
  if (replaces.length > 0) return { replaces, updates: false };
  if (isUnreadId(id) && news.adoptTask !== undefined) return { replaces: ["taskId"], updates: false };
  if (taskProgress(olds.taskStatus) !== "succeeded") {
    const isLost = await tasks.isToBeReplaced(olds, resource);
    return isLost ? { replaces: ["taskStatus"], updates: false } : { replaces, updates: true };
  }
  const changed = changedInputs(imageInputs, "updates", olds, news, unknown).length > 0;
  // Only a refresh looks for the saved files, because other machines may lack them.
  const isIncomplete = olds.saveTo !== undefined && olds.images.some(needsDownload);
  return { replaces, updates: changed || isIncomplete };
}
