import { expiryOf, type ImageOutput, type ImageOutputs } from "../../rules/image";
import type { Task } from "../../service/images/client";
import type { PictureEntry } from "../../service/responses/pictures";

/** The most images that are read from a task if `n` is not known. */
const mostUnasked = 16;

export type DescribedImages = Pick<ImageOutputs, "images" | "expiresAt" | "taskOutput" | "n">;
export type SucceededTask = Pick<Task, "taskId" | "results" | "fields" | "raw" | "missing">;

/**
 * Copies the images of a task into the state. If no image is recognised, the state keeps the whole response, because
 * the images were paid for. Returns a warning, if there is one.
 */
export function describeImages(
  state: DescribedImages,
  task: SucceededTask,
  shownReason: (reason: string) => string,
  nowMs: number,
): string | undefined {
  const most = state.n ?? mostUnasked;
  const results = task.results.slice(0, most);
  state.images = results.map((result, index) => imageOf(result, index, shownReason));
  const urls = state.images.flatMap(({ url }) => url ?? []);
  state.expiresAt = expiryOf(urls, nowMs);
  if (results.some((result) => !("unknownForm" in result)))
    return results.length === task.results.length
      ? undefined
      : `the image task ${task.taskId} has ${task.results.length} images, but at most ${most} are expected (n): the others are left out`;
  state.taskOutput = task.raw;
  const { missing } = task;
  const cut = missing.length === 0 ? "" : `, without the rest of ${missing.join(", ")}, which is too long for a state`;
  return (
    `the image task ${task.taskId} succeeded, but no image was recognised in its response, which has ${task.fields}. ` +
    `The output taskOutput keeps the response${cut}. If it names the image, set the path in cloudvoice:forms ` +
    "(pictures), and run `pulumi up --refresh`"
  );
}

/** The pictures whose bytes are in the response itself, by the index of the image. */
export function contentsOf({ results }: Pick<Task, "results">): Map<number, Buffer> {
  return new Map(
    results.flatMap((result, index) =>
      "content" in result ? [[index, Buffer.from(result.content, "base64")] as const] : [],
    ),
  );
}

function imageOf(result: PictureEntry, index: number, shownReason: (reason: string) => string): ImageOutput {
  if ("unknownForm" in result)
    return { error: `image ${index + 1} is described in an unexpected form: it has ${result.unknownForm}` };
  if ("url" in result) return result;
  if ("content" in result) return result.actualPrompt === undefined ? {} : { actualPrompt: result.actualPrompt };
  const { code } = result;
  const message = shownReason(result.message);
  return code === undefined ? { error: message } : { error: `${code}: ${message}`, code };
}
