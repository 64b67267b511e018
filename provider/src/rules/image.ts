import type { z } from "zod";
import type { ImageInputs } from "./image-inputs";
import type { imageFields, imageOutputs } from "./image-outputs";
import { isSamePlace } from "./storage";
import { dayMs } from "./time";
import { unknownValue } from "./unknown";

/** One image of a task: the image itself, or why it failed. */
export type ImageOutput = z.infer<typeof imageFields>;

export interface ImageOutputs extends ImageInputs, z.infer<typeof imageOutputs> {}

export function timeoutMsOf({ timeoutSeconds = 900 }: { timeoutSeconds?: number }): number {
  return timeoutSeconds * 1000;
}

export type TaskProgress = "waiting" | "succeeded" | "failed" | "doubtful";

/** A status of a task, and the time when it was seen, in milliseconds since 1970. */
export interface SeenStatus {
  status: string;
  atMs: number;
}

/**
 * The meaning of a task's statuses, the latest last. Only `SUCCEEDED` and `FAILED` end a task, as the contract says.
 * The service may report `UNKNOWN` for a task that it has just accepted, and for one that expired or never existed. A
 * gateway may answer 404 for any path. So a task becomes doubtful if nothing else was seen for `settleMs`, but this
 * never ends it. A task in any other state is still running.
 */
export function taskProgress(history: string | readonly SeenStatus[], settleMs = Infinity): TaskProgress {
  const seen = typeof history === "string" ? [{ status: history, atMs: 0 }] : history;
  const status = seen.at(-1)?.status.trim().toUpperCase();
  if (status === "SUCCEEDED") return "succeeded";
  if (status === "FAILED") return "failed";
  const [first, ...later] = seen.slice(seen.findLastIndex((each) => !isDoubtful(each.status)) + 1);
  return first && later.some(({ atMs }) => atMs - first.atMs >= settleMs) ? "doubtful" : "waiting";
}

/** Whether a status may mean that the service does not know the task. */
export function isDoubtful(status: string): boolean {
  return /^(UNKNOWN|CANCELL?ED)$/i.test(status.trim());
}

/**
 * Whether an image has yet to be downloaded: it has neither a hash of its bytes nor an error. An image without a URL is
 * in the response to a look-up of its task.
 */
export function needsDownload(image: ImageOutput): boolean {
  return image.sha256 === undefined && image.error === undefined;
}

/**
 * The outputs that an update may change, as far as a preview knows them. The pictures stay, and saving them elsewhere
 * changes only their addresses.
 */
export function plannedImages(
  olds: ImageOutputs,
  { saveTo }: Partial<ImageInputs>,
): { images: unknown; taskStatus?: unknown; expiresAt?: unknown } {
  if (taskProgress(olds.taskStatus) !== "succeeded")
    return { taskStatus: unknownValue, images: unknownValue, expiresAt: unknownValue };
  // Without `saveTo`, the state names no files.
  const fileIn = (image: ImageOutput) =>
    isSamePlace(olds.saveTo, saveTo) ? image.file : saveTo === undefined ? undefined : unknownValue;
  const images = olds.images.map((image) => (needsDownload(image) ? unknownValue : { ...image, file: fileIn(image) }));
  return { images };
}

/** Whether the image came damaged in an earlier run: its size is known, and it has no hash. */
export function hasComeDamaged({ sha256, bytes }: ImageOutput): boolean {
  return sha256 === undefined && bytes !== undefined;
}

/** If a URL expires within this time, no later run may find the image. */
export const lastChanceMs = 3600 * 1000;

/**
 * When the first of these URLs dies, in ISO 8601: as the URLs say, else a day after `seenAtMs`. Undefined if neither is
 * known.
 */
export function expiryOf(urls: readonly string[], seenAtMs?: number): string | undefined {
  const times = urls
    .flatMap((url) => new URL(url).searchParams.getAll("Expires"))
    .filter((seconds) => /^\d{10}$/.test(seconds))
    .map((seconds) => Number(seconds) * 1000);
  if (seenAtMs !== undefined) times.push(seenAtMs + dayMs);
  return times.length === 0 ? undefined : new Date(Math.min(...times)).toISOString();
}

/** Whether the URLs of the images are dead by now. Nothing is known of them before the task has succeeded. */
export function isExpired({ expiresAt }: Pick<ImageOutputs, "expiresAt">, nowMs: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= nowMs;
}

/**
 * The file name of an image, inside its folder whatever the resource is called. It contains the hash of the content, so
 * no image overwrites another one: not that of a replacement, of a renamed resource, or of another copy of the project.
 */
export function imageFileName(name: string, index: number, sha256: string, extension: string): string {
  const plain = name.replace(/[^0-9A-Za-z_-]+/g, "_").slice(0, 80) || "image";
  return `${plain}${endOfImageFile(index, sha256, extension)}`; // @persisted
}

/**
 * Whether a file may hold this image. The name of the resource does not matter, because it may have been renamed since.
 */
export function isImageFileName(file: string, index: number, sha256: string, extension: string): boolean {
  // The first release left the hash out.
  const ends = [endOfImageFile(index, sha256, extension), `-${index + 1}.${extension}`];
  return ends.some((end) => file.endsWith(end) && /^[\w-]+$/.test(file.slice(0, -end.length)));
}

/** A state may have been written by somebody else, so its hash may be any text. */
const endOfImageFile = (index: number, sha256: string, extension: string) =>
  `-${index + 1}-${sha256.replace(/[^0-9a-f]/g, "").slice(0, 12)}.${extension}`;

/** Seconds of a duration as Pulumi's `customTimeouts` writes it: `90s`, `5m`, `1h30m`. */
export function durationSeconds(duration: string): number | undefined {
  const secondsPerUnit: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600 };
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(duration)) return undefined;
  return [...duration.matchAll(/(?<![\d.])(\d+(?:\.\d+)?)(ms|s|m|h)/g)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * (secondsPerUnit[String(unit)] ?? 0),
    0,
  );
}
