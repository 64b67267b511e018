import { sha256Of } from "../../files";
import { describeThrown } from "../../describe-thrown";
import { CloudVoiceError, NotFoundError, RejectedError, ServiceError } from "../../errors";
import { type HttpResponse, unpacked } from "../http";
import { withRetries } from "../retry";
import type { CallContext } from "../send-request";
import { isComplete } from "./is-complete";

export interface Downloaded {
  content: Buffer;
  sha256: string;
  bytes: number;
  contentType: string;
  width: number;
  height: number;
}

/** Generated images have a few megabytes. Anything larger is not the requested image. */
export const maxImageBytes = 64 * 1024 * 1024;
const mostRedirects = 5;
const maxJpegHeadBytes = 2 * 1024 * 1024;
/** Raster formats with a reliable signature. SVG is missing because it can contain scripts. */
const formats = ["png", "jpg", "webp", "gif", "bmp", "tiff", "heif", "heic", "avif"];

function mediaTypeOf(format: string): string {
  return `image/${format === "jpg" ? "jpeg" : format}`;
}

/** The extension of a file name: `png`, `jpg`, … */
export function extensionOf(contentType: string | undefined): string {
  return formats.find((format) => mediaTypeOf(format) === contentType) ?? "image";
}

interface Context extends Pick<CallContext, "http" | "clock" | "maxRetries"> {
  imageBaseUrl(): string;
}

/**
 * Downloads a whole image. The service chose the address, so it gets no key, and reaches no network that the service is
 * not in. Retried like any read, and at `untilMs` (milliseconds since 1970) it fails.
 */
export async function download(context: Context, url: string, untilMs = Infinity): Promise<Downloaded> {
  try {
    return await withRetries(context, () => downloadOnce(context, url, untilMs));
  } catch (error) {
    throw CloudVoiceError.is(error) ? error.amend({ purpose: "downloading the image" }) : error;
  }
}

async function downloadOnce(context: Context, url: string, untilMs: number): Promise<Downloaded> {
  const { clock } = context;
  const leftMs = untilMs - clock.now();
  if (leftMs <= 0) throw tooSlow();
  const abort = new AbortController();
  // Data may keep coming slowly for ever, which the time-outs of a request do not notice. Workaround: a longer timer of
  // Node.js would fire at once.
  const timer = leftMs < 2 ** 31 ? setTimeout(() => abort.abort(tooSlow()), leftMs) : undefined;
  // The request keeps the process alive, and not its limit.
  timer?.unref();
  const chunks: Buffer[] = [];
  let bytes = 0;
  let content: Buffer;
  let headers: HttpResponse["headers"];
  try {
    const response = await openFollowing(context, url, abort.signal);
    headers = response.headers;
    if (response.status !== 200) {
      response.body.destroy();
      throw classifyStatus(response.status);
    }
    for await (const chunk of response.body) {
      bytes += (chunk as Buffer).length;
      if (bytes > maxImageBytes) throw new RejectedError(`the image has more than ${maxImageBytes / 1024 / 1024} MB`);
      chunks.push(chunk as Buffer);
    }
    const sent = Buffer.concat(chunks);
    // A storage service may name an encoding that a picture does not have.
    const formatAsSent = await readFormat(sent).catch(() => undefined);
    content = formatAsSent ? sent : unpacked(sent, headers["content-encoding"]);
  } catch (error) {
    if (CloudVoiceError.is(error) || describeThrown(error).name === "AbortError") throw error;
    throw new ServiceError(`the image was cut short: ${describeThrown(error).message}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
  const announcedBytes = Number(headers["content-length"] ?? bytes);
  if (announcedBytes !== bytes)
    throw new ServiceError(`the image was cut short: ${bytes} of ${announcedBytes} bytes came`);
  return describePicture(content);
}

/** The facts of a picture. Rejects if the bytes are none, or no whole one. */
export async function describePicture(content: Buffer): Promise<Downloaded> {
  const format = await readFormat(content);
  if (!isComplete(format.contentType, content))
    throw new ServiceError(`the image is cut short or damaged: ${content.length} bytes came, which are no whole image`);
  return { content, sha256: sha256Of(content), bytes: content.length, ...format };
}

/** Follows redirects: no key is sent that another server could get. */
async function openFollowing(context: Context, url: string, signal: AbortSignal) {
  const serviceUrl = context.imageBaseUrl();
  for (let hops = 0; hops <= mostRedirects; hops++) {
    assertSafeScheme(url, serviceUrl);
    const response = await context.http.open({ method: "GET", url, headers: {}, serviceUrl }, signal);
    if (![301, 302, 303, 307, 308].includes(response.status)) return response;
    response.body.destroy();
    const { location } = response.headers;
    if (typeof location !== "string" || !URL.canParse(location, url))
      throw new RejectedError("the image URL redirects to no address");
    url = new URL(location, url).href;
  }
  throw new RejectedError(`the image URL redirects more than ${mostRedirects} times`);
}

function assertSafeScheme(url: string, serviceUrl: string): void {
  const scheme = URL.canParse(url) ? new URL(url).protocol : "";
  if (scheme === "https:" || (scheme === "http:" && serviceUrl.startsWith("http:"))) return;
  throw new RejectedError("the image URL is no https address, and the service's is");
}

function tooSlow(): CloudVoiceError {
  return new CloudVoiceError("the image did not arrive within timeoutSeconds", {
    advice: "The next update downloads it, at no cost. To wait longer in one update, raise timeoutSeconds.",
  });
}

function classifyStatus(status: number): CloudVoiceError {
  if (status === 408 || status === 429 || status >= 500)
    return new ServiceError("the image server failed", { status, advice: "Run the command again later." });
  if ([401, 403, 404, 410].includes(status)) return new NotFoundError("the image URL is dead", { status });
  return new RejectedError("the image server refused the request", { status });
}

async function readFormat(content: Buffer): Promise<Pick<Downloaded, "contentType" | "width" | "height">> {
  // Loaded when needed, because most runs download nothing.
  const { disableTypes, imageSize, types } = await import("image-size");
  disableTypes(types.filter((type) => !formats.includes(type)));
  // Workaround: image-size takes seconds for a million empty segments. No metadata before the size is that large.
  const isJpeg = content[0] === 0xff;
  let size: Partial<ReturnType<typeof imageSize>> = {};
  try {
    size = imageSize(isJpeg ? content.subarray(0, maxJpegHeadBytes) : content);
  } catch {
    // Reported below.
  }
  const { type = "", width, height } = size;
  if (!formats.includes(type) || width === undefined || height === undefined)
    throw new RejectedError(`the response is not an image in one of the supported formats (${formats.join(", ")})`);
  return { contentType: mediaTypeOf(type), width, height };
}
