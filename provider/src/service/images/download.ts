import { sha256Of } from "../../files";
import { pictures } from "../../rules/file-formats";
import { describeThrown } from "../../describe-thrown";
import { CloudVoiceError, NotFoundError, RejectedError, ServiceError } from "../../errors";
import { type Http, unpacked } from "../http";
import { tryAgain } from "../responses/error";
import { withRetries } from "../retry";
import type { CallContext } from "../send-request";
import { fileKind } from "../file-kind";
import { isComplete } from "./picture";

export interface Downloaded {
  content: Buffer;
  sha256: string;
  bytes: number;
  contentType: string;
  /** What the content seems to be. Set if it is not one of the expected kinds of images. */
  seemsToBe?: string;
  damage?: string;
  /**
   * Whether the picture came over `http` although the service uses `https`, so somebody in between may have changed it.
   */
  unencrypted?: boolean;
}

/** A generated image has a few megabytes, so a larger file is not the requested image. */
export const maxImageBytes = 64 * 1024 * 1024;
const mostRedirects = 5;

interface Context extends Pick<CallContext, "http" | "clock" | "maxRetries"> {
  imageBaseUrl(): string;
}

/**
 * Downloads an image, with retries, until `untilMs` (milliseconds since 1970). The URL comes from a response, so the
 * request is sent without the API key, and not to a private network (unless the service itself is in one). If the image
 * is incomplete, the result has `damage`.
 */
export async function download(context: Context, url: string, untilMs = Infinity): Promise<Downloaded> {
  try {
    const attempt = () => withRetries(context, () => downloadOnce(context, url, untilMs));
    const first = await attempt();
    // If the image is damaged, download it once more, because the connection may have damaged it.
    return first.damage === undefined || context.maxRetries === 0 ? first : await attempt();
  } catch (error) {
    if (!CloudVoiceError.is(error)) throw error;
    const advice = error.isTransient ? (error.advice ?? tryAgain) : error.advice;
    throw error.amend({ purpose: "downloading the image", ...(advice !== undefined && { advice }) });
  }
}

async function downloadOnce(context: Context, url: string, untilMs: number): Promise<Downloaded> {
  const remainingMs = untilMs - context.clock.now();
  if (remainingMs <= 0) throw tooSlow();
  // The request's own limits do not end a slow download. Workaround: a timer of Node.js with 25 days or more would fire
  // immediately.
  const deadline = AbortSignal.timeout(Math.min(Math.ceil(remainingMs), 2 ** 31 - 1));
  try {
    const { response, url: lastUrl } = await openFollowing(context, url, deadline);
    const sent = await bodyOf(response);
    // Do not decode a picture: a storage service may state a content encoding that was not applied.
    const { extension = "" } = await fileKind(sent);
    const content = pictures[extension] ? sent : unpacked(sent, response.headers["content-encoding"]);
    const unencrypted = isPlain(lastUrl) && !isPlain(context.imageBaseUrl());
    return { ...(await describePicture(content)), ...(unencrypted && { unencrypted }) };
  } catch (error) {
    if (deadline.aborted) throw tooSlow();
    if (CloudVoiceError.is(error) || describeThrown(error).name === "AbortError") throw error;
    throw new ServiceError(`the image was cut short: ${describeThrown(error).message}`, { cause: error });
  }
}

async function bodyOf({ status, headers, body }: Awaited<ReturnType<Http["open"]>>): Promise<Buffer> {
  if (status !== 200) {
    body.destroy();
    throw classifyStatus(status);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxImageBytes) throw new RejectedError(`the image has more than ${maxImageBytes / 1024 / 1024} MB`);
    chunks.push(chunk);
  }
  const announcedBytes = Number(headers["content-length"] ?? bytes);
  if (announcedBytes !== bytes)
    throw new ServiceError(`the image was cut short: ${bytes} of ${announcedBytes} bytes came`);
  return Buffer.concat(chunks);
}

/**
 * Describes downloaded bytes. Rejects if they are certainly not a picture. If the picture is incomplete, the result has
 * `damage`. Accepts a file of an unknown kind, because it was paid for.
 */
export async function describePicture(content: Buffer): Promise<Downloaded> {
  if (content.length === 0) throw noPicture("it is empty");
  const { extension = "", name } = await fileKind(content);
  if (["html", "json", "xml", "txt"].includes(extension)) throw noPicture(`it is ${name}`);
  const { mediaType: contentType = "application/octet-stream", isExpected = false } = pictures[extension] ?? {};
  const facts = { content, sha256: sha256Of(content), bytes: content.length, contentType };
  if (!isExpected) return { ...facts, seemsToBe: name };
  const damage = `${content.length} bytes came, which are not a whole image`;
  return { ...facts, ...(!isComplete(contentType, content) && { damage }) };
}

/** Sends the request and follows redirects. No request has the API key, which another server must not get. */
async function openFollowing(context: Context, url: string, signal: AbortSignal) {
  const serviceUrl = context.imageBaseUrl();
  for (let hops = 0; hops <= mostRedirects; hops++) {
    assertWebAddress(url);
    const response = await context.http.open({ method: "GET", url, headers: {}, serviceUrl }, signal);
    if (![301, 302, 303, 307, 308].includes(response.status)) return { response, url };
    response.body.destroy();
    const { location } = response.headers;
    if (typeof location !== "string" || !URL.canParse(location, url))
      throw new RejectedError("the image URL redirects, but the response states no valid address");
    url = new URL(location, url).href;
  }
  throw new RejectedError(`the image URL redirects more than ${mostRedirects} times`);
}

function assertWebAddress(url: string): void {
  if (!URL.canParse(url) || !["https:", "http:"].includes(new URL(url).protocol))
    throw new RejectedError("the image URL is neither an https nor an http address");
}

const isPlain = (url: string) => new URL(url).protocol === "http:";

function tooSlow(): CloudVoiceError {
  return new CloudVoiceError("the image did not arrive within timeoutSeconds", {
    advice: "The next update downloads it, at no cost. To wait longer in one update, raise timeoutSeconds.",
  });
}

function classifyStatus(status: number): CloudVoiceError {
  if (status === 408 || status === 429 || status >= 500) return new ServiceError("the image server failed", { status });
  if ([401, 403, 404, 410].includes(status)) return new NotFoundError("the image URL is dead", { status });
  return new RejectedError("the image server refused the request", { status });
}

const noPicture = (why: string) => new RejectedError(`the response is not an image: ${why}`);
