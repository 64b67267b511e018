import { type ImageOutputs, needsDownload, taskProgress } from "../../rules/image";
import { type ImageInputs, imageInputs } from "../../rules/image-inputs";
import { changedInputs } from "../../rules/inputs";
import { isUnreadId } from "../../service/billed-requests";
import type { Resource } from "../lifecycle";
import type { ImageTasks } from "./tasks";

/** A replacement is billed. An update is not: e.g. it downloads a missing image. */
export async function diffImage(
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
