import { expiryOf, type ImageOutput, type ImageOutputs, isUndescribed } from "../../../rules/image";
import type { Task, TaskResult } from "../../../service/images/client";

/**
 * Takes over what a task that succeeded says about its images, except of those that are known already. Returns why an
 * image is still not known: the service describes it in a form of its own, and the other images must not wait for it.
 */
export function describeImages(
  state: Pick<ImageOutputs, "images" | "expiresAt">,
  { taskId, results }: Pick<Task, "taskId" | "results">,
  shownReason: (reason: string) => string,
  nowMs: number,
): string | undefined {
  const count = Math.max(state.images.length, results.length);
  state.images = Array.from({ length: count }, (_, index) => {
    const known = state.images[index];
    return known !== undefined && !isUndescribed(known) ? known : imageOf(results[index], shownReason);
  });
  state.expiresAt ??= expiryOf(
    state.images.flatMap(({ url }) => url ?? []),
    nowMs,
  );
  const index = state.images.findIndex(isUndescribed);
  if (index < 0) return undefined;
  const result = results[index];
  const form =
    result === undefined
      ? "is missing in the response"
      : `has an unexpected form: it has ${"unknownForm" in result ? result.unknownForm : "no fields"}`;
  return `image ${index + 1} of the image task ${taskId} ${form}; expected url, or code and message`;
}

function imageOf(result: TaskResult | undefined, shownReason: (reason: string) => string): ImageOutput {
  if (result === undefined || "unknownForm" in result) return {};
  if ("url" in result) return result;
  const { code } = result;
  const message = shownReason(result.message);
  return code === undefined ? { error: message } : { error: `${code}: ${message}`, code };
}
