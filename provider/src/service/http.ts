import type { Readable } from "node:stream";
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import pLimit from "p-limit";
import type { Dispatcher } from "undici";
import { once } from "../once";
import { isThisMachine } from "../rules/public-url";
import type { Settings } from "../rules/settings";
import { describeThrown } from "../describe-thrown";
import { CloudVoiceError, LostAnswerError, UnreachableError } from "../errors";
import { isPrivateAddress, isPrivateHost, lookupPublic, privateAddressError } from "./private-network";
import { assertProxies, proxyHint } from "./proxy";

export interface HttpRequest {
  method: "GET" | "POST" | "PUT" | "PATCH";
  url: string;
  headers: Record<string, string>;
  /**
   * The address of the service, set if `url` comes from a response. Then `url` may lead into a private network only if
   * the service is in one, and if `url` keeps the `https` of the service.
   */
  serviceUrl?: string | undefined;
  /** Whether the response may be larger than others, e.g. with pictures, or with all comments of a merge request. */
  mayCarryPictures?: boolean | undefined;
  /** Called at each attempt. A streamed body reads its file only while the body is sent. */
  body?: () => string | StreamedBody;
}

export interface StreamedBody {
  stream: Readable;
  bytes: number;
}

export interface HttpResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** All network access. Resolves with any status. Rejects with `UnreachableError` or `LostAnswerError`. */
export interface Http {
  send(request: HttpRequest): Promise<HttpResponse>;
  /**
   * Starts a download. The caller reads the stream to its end, or destroys it. `signal` aborts the download with the
   * signal's reason.
   */
  open(request: HttpRequest, signal?: AbortSignal): Promise<Omit<HttpResponse, "body"> & { body: Readable }>;
  close(): Promise<void>;
}

type ConnectionSettings = Pick<Settings, "requestTimeoutMs" | "maxConcurrency">;

/** Room for a list of 50,000 voices. Parsing a larger response would block the process for seconds. */
const maxResponseBytes = 8 * 1024 * 1024;
/** Room for a picture, also as base64 in a response. */
const maxPictureBytes = 80 * 1024 * 1024;
const mostEncodings = 4;

/** Uses undici with pooled connections and the proxies from the environment. Does not follow redirects. */
export function undiciHttp(settings: ConnectionSettings): Http {
  const { requestTimeoutMs, maxConcurrency } = settings;
  // undici is loaded at the first request, because most previews send none.
  const load = once(() => openConnections(settings));
  // One limit for all interfaces: the time-out of a request must not run while it waits for a free connection.
  const limit = pLimit(maxConcurrency);
  return {
    send(request) {
      return limit(async () => {
        const connections = await load();
        const response = await start(connections, request, { wholeMs: requestTimeoutMs });
        try {
          const { statusCode: status, headers } = response;
          const most = request.mayCarryPictures ? maxPictureBytes : maxResponseBytes;
          const bytes = unpacked(Buffer.from(await response.body.arrayBuffer()), headers["content-encoding"], most);
          return { status, headers, body: new TextDecoder().decode(bytes) };
        } catch (error) {
          throw networkError(error, request, requestTimeoutMs, true);
        }
      });
    },
    async open(request, signal) {
      // A large download may take longer than one request, as long as data keeps coming.
      const response = await start(await load(), request, { partsMs: requestTimeoutMs, signal });
      // Destroying an unread body emits an `error` event. Ignore it: readers get their own.
      response.body.on("error", () => undefined);
      return { status: response.statusCode, headers: response.headers, body: response.body };
    },
    async close() {
      // `load` rejects if the settings of a proxy were refused. Then nothing is open.
      const connections = await load().catch(() => undefined);
      await connections?.destroy();
    },
  };
}

type Connections = Awaited<ReturnType<typeof openConnections>>;

/** Loads undici. Its pools open connections when they are needed. */
async function openConnections({ requestTimeoutMs, maxConcurrency }: ConnectionSettings) {
  // Workaround: Bun (1.4) replaces the package "undici" by its own module, which has no dispatchers. It does not
  // replace "undici/index.js".
  const undici = await import("undici/index.js");
  assertProxies(process.env);
  const { no_proxy, NO_PROXY } = process.env;
  const timeout = Math.min(requestTimeoutMs, 10_000);
  const options = {
    // A proxy can't reach services on this machine.
    noProxy: [no_proxy ?? NO_PROXY ?? "", "localhost", "127.0.0.1", "[::1]"].filter(Boolean).join(","),
    connections: maxConcurrency,
    // `start` limits the whole request. undici's defaults of 300 s would end a longer request early.
    headersTimeout: 0,
    bodyTimeout: 0,
    connectTimeout: timeout,
    // A gateway may add more headers than Node.js's 16 KB. A response lost for that reason may have been billed.
    maxHeaderSize: 256 * 1024,
  };
  const large = { ...options, maxResponseSize: maxPictureBytes };
  const dispatchers = {
    answers: new undici.EnvHttpProxyAgent({ ...options, maxResponseSize: maxResponseBytes }),
    pictures: new undici.EnvHttpProxyAgent(large),
    /**
     * For URLs that must be public. Behind a proxy, which looks up names itself, only private IP addresses are refused.
     */
    publicPictures: new undici.EnvHttpProxyAgent({ ...large, connect: { lookup: lookupPublic, timeout } }),
  };
  /** A dispatcher for one request. It calls `onSending` once it is connected, just before it sends the request. */
  const reporting = (onSending: () => void, kind: keyof typeof dispatchers) =>
    dispatchers[kind].compose((dispatch) => (options, handler) => dispatch(options, reportStart(handler, onSending)));
  const destroy = () => Promise.all(Object.values(dispatchers).map((each) => each.destroy()));
  return { request: undici.request, destroy, reporting };
}

/** `wholeMs` limits a whole request. `partsMs` limits the time to its response, and between two parts of the body. */
type Limits = { wholeMs: number } | { partsMs: number; signal: AbortSignal | undefined };

/** Starts a request. Resolves when the headers of the response have come. */
async function start({ request: send, reporting }: Connections, request: HttpRequest, limits: Limits) {
  const body = request.body?.();
  const contentLength = typeof body === "object" && { "content-length": String(body.bytes) };
  const isDownload = "partsMs" in limits;
  // AbortSignal.timeout rejects fractions of a millisecond.
  const signal = isDownload ? limits.signal : AbortSignal.timeout(Math.ceil(limits.wholeMs));
  let wasSent = false;
  const isLarge = request.mayCarryPictures === true || isDownload;
  const kind = (await mustBePublic(request)) ? "publicPictures" : isLarge ? "pictures" : "answers";
  const sending = send(request.url, {
    // Workaround: after an abort, undici still connects, and reports the start of a request that it then drops.
    dispatcher: reporting(() => (wasSent = signal?.aborted !== true), kind),
    method: request.method,
    // Without this header a server may compress its response.
    headers: { "accept-encoding": "identity", ...request.headers, ...contentLength },
    body: typeof body === "object" ? body.stream : (body ?? null),
    ...(isDownload && { headersTimeout: limits.partsMs, bodyTimeout: limits.partsMs }),
    signal: signal ?? null,
  });
  const abort = abortedBefore(() => wasSent, signal);
  try {
    return await Promise.race([sending, abort.aborted]);
  } catch (error) {
    throw networkError(error, request, isDownload ? limits.partsMs : limits.wholeMs, wasSent);
  } finally {
    abort.stop();
  }
}

const unpackers = new Map<string, (bytes: Buffer, bound: { maxOutputLength: number }) => Buffer>([
  ["gzip", (bytes, bound) => (bytes[0] === 0x1f ? gunzipSync(bytes, bound) : bytes)],
  ["br", brotliDecompressSync],
  ["deflate", (bytes, bound) => ((bytes[0] ?? 0) % 16 === 8 ? inflateSync : inflateRawSync)(bytes, bound)],
]);

/** Decompresses a body. A gateway may compress it unasked, or state gzip for a plain body. */
export function unpacked(body: Buffer, encoding: string | string[] = "", maxOutputLength = maxPictureBytes): Buffer {
  const names = body.length === 0 ? [] : String(encoding).toLowerCase().split(",", mostEncodings);
  const unpack = (bytes: Buffer, name: string) =>
    unpackers.get(name.trim().replace(/^x-/, ""))?.(bytes, { maxOutputLength }) ?? bytes;
  return names.reduceRight(unpack, body);
}

/**
 * Whether `url` must lead to a public network (see `serviceUrl`). Rejects if its host is a private IP address. A host
 * name is checked when its connection opens.
 */
async function mustBePublic({ url, serviceUrl }: HttpRequest): Promise<boolean> {
  if (serviceUrl === undefined) return false;
  const isLessSafe = url.startsWith("http:") && serviceUrl.startsWith("https:");
  if (!isLessSafe && (await isPrivateHost(new URL(serviceUrl).hostname))) return false;
  if (isPrivateAddress(new URL(url).hostname)) throw privateAddressError();
  return true;
}

/**
 * `aborted` rejects at an abort before the request was sent. Workaround: undici notices such an abort only once the
 * connection is open. `stop` removes the listener: otherwise Node.js keeps the time-out's signal and the response in
 * memory.
 */
function abortedBefore(wasSent: () => boolean, signal: AbortSignal | undefined) {
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => {
      if (!wasSent()) reject(signal?.reason as Error);
    };
    signal?.addEventListener("abort", onAbort);
  });
  return { aborted, stop: () => signal?.removeEventListener("abort", onAbort) };
}

/**
 * Calls `onSending` just before undici writes the request, when the connection is open, TLS included: undici then calls
 * `onRequestStart`. Workaround: for `request`, undici 7 still has handlers of the older kind, with `onConnect`.
 */
function reportStart(handler: Dispatcher.DispatchHandler, onSending: () => void): Dispatcher.DispatchHandler {
  const hooks = handler as Partial<Record<"onRequestStart" | "onConnect", (...args: unknown[]) => void>>;
  for (const name of ["onRequestStart", "onConnect"] as const) {
    const hook = hooks[name]?.bind(handler);
    if (hook === undefined) continue;
    hooks[name] = (...args) => {
      onSending();
      hook(...args);
    };
  }
  return handler;
}

/**
 * Classifies an error by whether the request was sent. E.g. a connection may be reset: before the request was sent,
 * nothing was done; afterwards, the service may have done the work.
 */
function networkError(error: unknown, request: HttpRequest, timeoutMs: number, wasSent: boolean): CloudVoiceError {
  if (CloudVoiceError.is(error)) return error;
  const cause = rootCause(error);
  const { origin } = new URL(request.url);
  if (!wasSent) {
    if (cause.code === "EPROTO" || cause.code === "ERR_SSL_WRONG_VERSION_NUMBER") {
      const advice = "If it is an http address, write http:// instead of https://.";
      return new UnreachableError(`${origin} could not be reached: it does not speak TLS`, { advice, cause: error });
    }
    if (cause.code === "ECONNREFUSED" && isThisMachine(request.url))
      return new UnreachableError(`${origin} could not be reached: ${cause.text}`, {
        advice: startEmulator,
        nothingListens: true,
        cause: error,
      });
    const why = cause.name === "TimeoutError" ? `no connection within ${timeoutMs / 1000} s` : cause.text;
    const advice = isThisMachine(request.url) ? undefined : proxyHint(request.url, process.env);
    return new UnreachableError(`${origin} could not be reached: ${why}`, { ...(advice && { advice }), cause: error });
  }
  if (cause.name === "TimeoutError") {
    const reason = `the response from ${origin} was lost: none came within ${timeoutMs / 1000} s`;
    const advice = "If the service needs longer, raise cloudvoice:requestTimeoutSeconds.";
    return new LostAnswerError(reason, { advice, cause: error });
  }
  return new LostAnswerError(`the response from ${origin} was lost: ${cause.text}`, { cause: error });
}

const startEmulator =
  "Nothing listens there. If it is the emulator, start it: `npx --no-install pulumi-cloudvoice emulator`. " +
  "Otherwise check cloudvoice:baseUrl or CLOUDVOICE_BASE_URL.";

/** The innermost error: undici wraps system errors, and connecting to several addresses gives an AggregateError. */
function rootCause(error: unknown): { code: string; name: string; text: string } {
  const { message, name, code, cause } = describeThrown(error);
  const several = (error as Partial<AggregateError> | null)?.errors as unknown[] | undefined;
  if (several?.length) return rootCause(several[0]);
  if (code === "" && cause !== undefined) return rootCause(cause);
  return { code, name, text: code && !message.includes(code) ? `${message} (${code})` : message };
}
