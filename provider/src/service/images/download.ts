import { createHash, randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { describeThrown } from "../../describe-thrown";
import { CloudVoiceError, NotFoundError, RejectedError, ServiceError } from "../../errors";
import type { Caller } from "../call";
import { passesByItself, retrying } from "../retry";

export interface Downloaded {
  sha256: string;
  bytes: number;
  contentType: string;
  width: number;
  height: number;
  /** The bytes in a file that is not yet in its place; absent when none was asked for. */
  parked?: string;
}

/** An image of a screen's size has some megabytes; what is beyond is not what was asked for. */
const largestImageBytes = 64 * 1024 * 1024;
/** Enough for the size to stand in, of every format. */
const headBytes = 256 * 1024;
/** Pictures made of pixels; what can carry programs (SVG), or is guessed from few bytes, is none. */
const mediaTypes = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["webp", "image/webp"],
  ["gif", "image/gif"],
  ["bmp", "image/bmp"],
  ["tiff", "image/tiff"],
  ["heif", "image/heif"],
]);

/** For file names: `png`, `jpg`, … */
export function extensionOf(contentType: string | undefined): string {
  return [...mediaTypes].find(([, mediaType]) => mediaType === contentType)?.[0] ?? "image";
}

/** Streams an image, without the key, to a parked file in `folder` when one is given. Tried again like any read. */
export function download(
  caller: Pick<Caller, "http" | "clock" | "maxRetries">,
  url: string,
  folder: string | undefined,
): Promise<Downloaded> {
  return retrying(caller, passesByItself, () => once(caller, url, folder));
}

async function once({ http }: Pick<Caller, "http">, url: string, folder: string | undefined): Promise<Downloaded> {
  const answer = await http.open({ method: "GET", url, headers: {} });
  if (answer.status !== 200) {
    answer.body.destroy();
    const facts = { status: answer.status };
    if (answer.status === 408 || answer.status === 429 || answer.status >= 500)
      throw new ServiceError("the image's server failed", facts);
    if ([401, 403, 404, 410].includes(answer.status)) throw new NotFoundError("the image's address is dead", facts);
    throw new RejectedError("the image's server refuses it", facts);
  }

  const hash = createHash("sha256");
  const head: Buffer[] = [];
  let bytes = 0;
  const meter = new Transform({
    transform(piece: Buffer, _, done) {
      if (bytes < headBytes) head.push(piece);
      bytes += piece.length;
      hash.update(piece);
      done(
        bytes > largestImageBytes
          ? new RejectedError(`the image has more than ${largestImageBytes / 1024 / 1024} MB`)
          : null,
        piece,
      );
    },
  });
  const parked = folder === undefined ? undefined : parkingPlace(folder);
  if (folder !== undefined) await mkdir(folder, { recursive: true });
  try {
    const end = parked === undefined ? nowhere() : createWriteStream(parked, { flags: "wx" });
    await pipeline(answer.body, meter, end);
    const promised = Number(answer.headers["content-length"] ?? bytes);
    if (promised !== bytes) throw new ServiceError(`the image was cut short: ${bytes} of ${promised} bytes`);
    return {
      sha256: hash.digest("hex"),
      bytes,
      ...(await look(Buffer.concat(head))),
      ...(parked !== undefined && { parked }),
    };
  } catch (error) {
    if (parked !== undefined) await rm(parked, { force: true });
    if (CloudVoiceError.is(error) || /^E[A-Z]+$/.test(describeThrown(error).code)) throw error;
    throw new ServiceError(`the image was cut short: ${describeThrown(error).message}`, { cause: error });
  }
}

/** Whether the address still gives the image, without fetching it. */
export async function isAlive({ http }: Pick<Caller, "http">, url: string): Promise<boolean> {
  try {
    const answer = await http.open({ method: "GET", url, headers: {} });
    answer.body.destroy();
    return answer.status === 200;
  } catch {
    return false;
  }
}

/** Puts a parked file into its place, whole or not at all. */
export async function settle(parked: string, file: string): Promise<void> {
  await rename(parked, file);
}

/** A copy of a saved file, parked beside its new place; undefined when the file is gone or another. */
export async function parkCopy(file: string, sha256: string, target: string): Promise<string | undefined> {
  const bytes = await readFile(file).catch(() => undefined);
  if (!bytes || createHash("sha256").update(bytes).digest("hex") !== sha256) return undefined;
  await mkdir(dirname(target), { recursive: true });
  const parked = parkingPlace(dirname(target));
  await writeFile(parked, bytes, { flag: "wx" });
  return parked;
}

function parkingPlace(folder: string): string {
  return join(folder, `.parked-${randomBytes(6).toString("hex")}`);
}

async function look(head: Buffer): Promise<Pick<Downloaded, "contentType" | "width" | "height">> {
  const { imageSize } = await import("image-size");
  let seen: ReturnType<typeof imageSize>;
  try {
    seen = imageSize(head);
  } catch (error) {
    throw new RejectedError("what came is not an image", { cause: error });
  }
  const { type = "", width, height } = seen;
  const contentType = mediaTypes.get(type);
  if (contentType === undefined)
    throw new RejectedError(`what came is an image of another kind than ${[...mediaTypes.keys()].join(", ")}`);
  return { contentType, width, height };
}

function nowhere(): Writable {
  return new Writable({ write: (_piece, _encoding, done) => done() });
}
