import { createHash, randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { describeThrown } from "../../describe-thrown";
import { CloudVoiceError, NotFoundError, RejectedError, ServiceError } from "../../errors";
import { isTransient, withRetries } from "../retry";
import type { CallContext } from "../send-request";

export interface Downloaded {
  sha256: string;
  bytes: number;
  contentType: string;
  width: number;
  height: number;
  /** A temporary file with the image, to be moved into its place; absent if no folder was given. */
  temporaryFile?: string;
}

/** Generated images have a few megabytes. Anything larger is not the requested image. */
const maxImageBytes = 64 * 1024 * 1024;
/** In every supported format, the first bytes contain the width and height. */
const headBytes = 256 * 1024;
/** Raster formats with a reliable signature. SVG is missing because it can contain scripts. */
const mediaTypes = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["webp", "image/webp"],
  ["gif", "image/gif"],
  ["bmp", "image/bmp"],
  ["tiff", "image/tiff"],
  ["heif", "image/heif"],
]);

/** The extension of a file name: `png`, `jpg`, … */
export function extensionOf(contentType: string | undefined): string {
  return [...mediaTypes].find(([, mediaType]) => mediaType === contentType)?.[0] ?? "image";
}

/** Downloads an image without sending the key, to a temporary file in `folder` if given. Retried like any read. */
export async function download(
  context: Pick<CallContext, "http" | "clock" | "maxRetries">,
  url: string,
  folder: string | undefined,
): Promise<Downloaded> {
  try {
    return await withRetries(context, isTransient, () => downloadOnce(context, url, folder));
  } catch (error) {
    throw CloudVoiceError.is(error) ? error.amend({ operation: "downloading the image" }) : error;
  }
}

async function downloadOnce(
  { http }: Pick<CallContext, "http">,
  url: string,
  folder: string | undefined,
): Promise<Downloaded> {
  const response = await http.open({ method: "GET", url, headers: {} });
  if (response.status !== 200) {
    response.body.destroy();
    throw classifyStatus(response.status);
  }

  const hash = createHash("sha256");
  const head: Buffer[] = [];
  let bytes = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _, done) {
      if (bytes < headBytes) head.push(chunk);
      bytes += chunk.length;
      hash.update(chunk);
      done(bytes > maxImageBytes ? tooLarge() : null, chunk);
    },
  });
  const temporaryFile = folder === undefined ? undefined : temporaryFileIn(folder);
  if (folder !== undefined) await mkdir(folder, { recursive: true });
  try {
    const target = temporaryFile === undefined ? discardingStream() : createWriteStream(temporaryFile, { flags: "wx" });
    await pipeline(response.body, meter, target);
    const announcedBytes = Number(response.headers["content-length"] ?? bytes);
    if (announcedBytes !== bytes)
      throw new ServiceError(`the image was cut short: ${bytes} of ${announcedBytes} bytes came`);
    const format = await readFormat(Buffer.concat(head));
    return { sha256: hash.digest("hex"), bytes, ...format, ...(temporaryFile !== undefined && { temporaryFile }) };
  } catch (error) {
    if (temporaryFile !== undefined) await rm(temporaryFile, { force: true });
    // Errors of the file system are not transient: callers describe them.
    if (CloudVoiceError.is(error) || /^E[A-Z]+$/.test(describeThrown(error).code)) throw error;
    throw new ServiceError(`the image was cut short: ${describeThrown(error).message}`, { cause: error });
  }
}

function classifyStatus(status: number): CloudVoiceError {
  if (status === 408 || status === 429 || status >= 500)
    return new ServiceError("the image server failed", { status, advice: "Run the command again later." });
  if ([401, 403, 404, 410].includes(status)) return new NotFoundError("the image URL is dead", { status });
  return new RejectedError("the image server refused the request", { status });
}

function tooLarge(): RejectedError {
  return new RejectedError(`the image has more than ${maxImageBytes / 1024 / 1024} MB`);
}

/** Whether the URL still gives the image. Does not read the body. */
export async function isDownloadable({ http }: Pick<CallContext, "http">, url: string): Promise<boolean> {
  try {
    const response = await http.open({ method: "GET", url, headers: {} });
    response.body.destroy();
    return response.status === 200;
  } catch {
    return false;
  }
}

/** Moves a temporary file into its place, whole or not at all. */
export async function moveIntoPlace(temporaryFile: string, file: string): Promise<void> {
  await rename(temporaryFile, file);
}

/** Copies a saved image to a temporary file next to `target`. Undefined if the saved file is missing or was changed. */
export async function copyToTemporaryFile(file: string, sha256: string, target: string): Promise<string | undefined> {
  const bytes = await readFile(file).catch(() => undefined);
  if (!bytes || createHash("sha256").update(bytes).digest("hex") !== sha256) return undefined;
  await mkdir(dirname(target), { recursive: true });
  const temporaryFile = temporaryFileIn(dirname(target));
  await writeFile(temporaryFile, bytes, { flag: "wx" });
  return temporaryFile;
}

/** In the same folder as its final place, because a rename across file systems fails. */
function temporaryFileIn(folder: string): string {
  return join(folder, `.download-${randomBytes(6).toString("hex")}`);
}

async function readFormat(head: Buffer): Promise<Pick<Downloaded, "contentType" | "width" | "height">> {
  // Loaded when needed, because most runs download nothing.
  const { imageSize } = await import("image-size");
  let size: ReturnType<typeof imageSize>;
  try {
    size = imageSize(head);
  } catch (error) {
    throw new RejectedError("the response is not an image", { cause: error });
  }
  const { type = "", width, height } = size;
  const contentType = mediaTypes.get(type);
  if (contentType === undefined)
    throw new RejectedError(`the image is in none of the supported formats (${[...mediaTypes.keys()].join(", ")})`);
  return { contentType, width, height };
}

function discardingStream(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
