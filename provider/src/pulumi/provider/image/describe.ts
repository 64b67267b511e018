import { expiryOf, type ImageOutput, type ImageOutputs } from "../../../rules/image";
import type { Task } from "../../../service/images/client";
import type { FoundImage } from "../../../service/structure/images";

/**
 * Takes over what a task that succeeded says about its images. What has an unknown form carries an error. If no image is
 * recognised, the state keeps the whole response, because the images were paid for, and returns why.
 */
export function describeImages(
  state: Pick<ImageOutputs, "images" | "expiresAt" | "taskOutput">,
  task: Pick<Task, "taskId" | "results" | "fields" | "raw">,
  shownReason: (reason: string) => string,
  nowMs: number,
): string | undefined {
  state.images = task.results.map((result, index) => imageOf(result, index, shownReason));
  const urls = state.images.flatMap(({ url }) => url ?? []);
  state.expiresAt = expiryOf(urls, nowMs);
  if (task.results.some((result) => !("unknownForm" in result))) return undefined;
  state.taskOutput = task.raw;
  return (
    `the image task ${task.taskId} succeeded, and no image was recognised in its response, which has ${task.fields}. ` +
    "The response is kept as the output taskOutput"
  );
}

function imageOf(result: FoundImage, index: number, shownReason: (reason: string) => string): ImageOutput {
  if ("unknownForm" in result)
    return { error: `image ${index + 1} is described in an unexpected form: it has ${result.unknownForm}` };
  if ("url" in result) return result;
  const { code } = result;
  const message = shownReason(result.message);
  return code === undefined ? { error: message } : { error: `${code}: ${message}`, code };
}
