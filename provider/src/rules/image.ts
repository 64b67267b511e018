import type { z } from "zod";
import type { imageFields, ImageInputs, imageOutputs } from "./image-fields";
import { isSamePlace } from "./storage";
import { dayMs } from "./time";
import { unknownValue } from "./values";

export type ImageOutput = z.infer<typeof imageFields>;

export interface ImageOutputs extends ImageInputs, z.infer<typeof imageOutputs> {}

export function timeoutMsOf({ timeoutSeconds = 900 }: { timeoutSeconds?: number }): number {
  return timeoutSeconds * 1000;
}

export type TaskProgress = "waiting" | "succeeded" | "failed" | "doubtful";

export interface SeenStatus {
  status: string;
  atMs: number;
}

/**
 * The progress of a task, by its statuses (the latest last). The contract ends a task only with `SUCCEEDED` or
 * `FAILED`. The service may report `UNKNOWN` for a new task, for an expired one, and for one that never existed; a
 * gateway may respond 404 to any path. So a task becomes doubtful if nothing else was seen for `settleMs`, but it does
 * not end. A task in any other state is running.
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

/** An image without a URL can be downloaded too: the response to a look-up of its task contains the picture. */
export function needsDownload(image: ImageOutput): boolean {
  return image.sha256 === undefined && image.error === undefined;
}

/** The outputs that an update may change, as far as a preview knows them. */
export function plannedImages(
  olds: ImageOutputs,
  { saveTo }: Partial<ImageInputs>,
): { images: unknown; taskStatus?: unknown; expiresAt?: unknown } {
  if (taskProgress(olds.taskStatus) !== "succeeded")
    return { taskStatus: unknownValue, images: unknownValue, expiresAt: unknownValue };
  const fileIn = (image: ImageOutput) =>
    isSamePlace(olds.saveTo, saveTo) ? image.file : saveTo === undefined ? undefined : unknownValue;
  const images = olds.images.map((image) => (needsDownload(image) ? unknownValue : { ...image, file: fileIn(image) }));
  return { images };
}

/** Whether an earlier run received the image damaged: its size is known, but it has no hash. */
export function hasComeDamaged({ sha256, bytes }: ImageOutput): boolean {
  return sha256 === undefined && bytes !== undefined;
}

/** If a URL expires within this time, later runs may not get the image. */
export const lastChanceMs = 3600 * 1000;

/**
 * The time when the first of the URLs expires, in ISO 8601: by the parameters of the URLs, but at the latest a day
 * after `seenAtMs`. Undefined if neither is known.
 */
export function expiryOf(urls: readonly string[], seenAtMs?: number): string | undefined {
  const times = urls
    .flatMap((url) => new URL(url).searchParams.getAll("Expires"))
    .filter((seconds) => /^\d{10}$/.test(seconds))
    .map((seconds) => Number(seconds) * 1000);
  if (seenAtMs !== undefined) times.push(seenAtMs + dayMs);
  return times.length === 0 ? undefined : new Date(Math.min(...times)).toISOString();
}

/** False before the task has succeeded, when the expiry of the URLs is unknown. */
export function isExpired({ expiresAt }: Pick<ImageOutputs, "expiresAt">, nowMs: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= nowMs;
}

/**
 * The file name of an image. No resource name leads out of the folder. The file name contains the hash of the content,
 * so it never overwrites the image of a replacement, a renamed resource, or another copy of the project.
 */
export function imageFileName(name: string, index: number, sha256: string, extension: string): string {
  const plain = name.replace(/[^0-9A-Za-z_-]+/g, "_").slice(0, 80) || "image";
  return `${plain}${endOfImageFile(index, sha256, extension)}`; // @persisted
}

/** Whether a file may contain this image. Any resource name is accepted: the resource may have been renamed. */
export function isImageFileName(file: string, index: number, sha256: string, extension: string): boolean {
  const end = endOfImageFile(index, sha256, extension);
  return file.endsWith(end) && /^[\w-]+$/.test(file.slice(0, -end.length));
}

/** Keeps only hex digits: in an edited state, the hash may be any text. */
const endOfImageFile = (index: number, sha256: string, extension: string) =>
  `-${index + 1}-${sha256.replace(/[^0-9a-f]/g, "").slice(0, 12)}.${extension}`;

/** The seconds of a duration of Pulumi's `customTimeouts`: `90s`, `5m`, `1h30m`. */
export function durationSeconds(duration: string): number | undefined {
  const secondsPerUnit: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600 };
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(duration)) return undefined;
  return [...duration.matchAll(/(?<![\d.])(\d+(?:\.\d+)?)(ms|s|m|h)/g)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * (secondsPerUnit[String(unit)] ?? 0),
    0,
  );
}
