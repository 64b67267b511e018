import type { Readable } from "node:stream";
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import pLimit from "p-limit";
import type { Dispatcher } from "undici";
import { isThisMachine } from "../rules/public-url";
import type { Settings } from "../rules/settings";
import { longestRequestMs, megabytes, mostUploadAttempts, smallBodyBytes, type Upload, Uploads } from "./uploads";
import { describeThrown } from "../describe-thrown";
import { CloudVoiceError, LostAnswerError, UnreachableError } from "../errors";
import { secondsOf } from "./clock";
import { isPrivateAddress, isPrivateHost, lookupPublic, privateAddressError } from "./private-network";
import { assertProxies, proxyHint } from "./proxy";
import { connectorWithSocketBelow, Sockets } from "./sockets";

export interface HttpRequest {
  method: "GET" | "POST" | "PUT" | "PATCH";
  url: string;
  headers: Record<string, string>;
  /**
   * The address of the service. Set if `url` comes from a response. Then `url` may lead into a private network only if
   * the service is in one, and not by `http` if the service uses `https`.
   */
  serviceUrl?: string | undefined;
  /** Whether the response may be large, e.g. because it contains pictures or all comments of a merge request. */
  mayCarryPictures?: boolean | undefined;
  /** Called for each attempt. A streamed body reads its file while it is sent. */
  body?: (() => string | StreamedBody) | undefined;
  /**
   * Called just before the request is sent, after all waits. `bytesUnderWay`: the bytes of all bodies under way, this
   * one included. If it rejects, the request is not sent.
   */
  beforeSend?: ((bytesUnderWay: number) => Promise<void>) | undefined;
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

/** Calls resolve with any HTTP status, and reject with `UnreachableError` or `LostAnswerError`. */
export interface Http {
  send(request: HttpRequest): Promise<HttpResponse>;
  /**
   * Starts a download. The caller must read the stream to its end, or destroy it. If `signal` aborts the download, it
   * fails with the signal's reason.
   */
  open(request: HttpRequest, signal?: AbortSignal): Promise<Omit<HttpResponse, "body"> & { body: Readable }>;
  close(): Promise<void>;
}

type ConnectionSettings = Pick<Settings, "requestTimeoutMs" | "maxConcurrency">;

/** Enough for a list of 50,000 voices. Parsing a larger response would block the process for seconds. */
const maxResponseBytes = 8 * 1024 * 1024;
/** Enough for a picture, also if the response has it in base64. */
const maxPictureBytes = 80 * 1024 * 1024;
const mostEncodings = 4;

/**
 * An `Http` that uses undici, with pooled connections and the proxies from the environment. Does not follow redirects.
 */
export function undiciHttp(settings: ConnectionSettings): Http {
  const { requestTimeoutMs, maxConcurrency } = settings;
  // undici is loaded at the first request, because most previews send none.
  let connections: Promise<Connections> | undefined;
  const connected = () => (connections ??= openConnections(settings));
  // The time limit of a request begins when it is started, so a started request must get a connection at once.
  // Therefore one limit applies to the requests of all interfaces together.
  const limit = pLimit(maxConcurrency);
  const uploads = new Uploads();
  const exchange = async (request: HttpRequest, body: SentBody | undefined, upload: Upload): Promise<HttpResponse> => {
    const opened = await connected();
    await request.beforeSend?.(upload.mostUnderWay);
    const limitMs = () => longestRequestMs(requestTimeoutMs, upload.mostUnderWay);
    const time = timeLimit(limitMs, () => body && opened.sockets.reset(body.content));
    const sent: Sent = {
      body,
      startedAt: performance.now(),
      limitMs,
      taken: () => (body ? opened.sockets.taken(body.content) : NaN),
    };
    try {
      const response = await start(opened, request, sent, { signal: time.signal });
      try {
        const { statusCode: status, headers } = response;
        const most = request.mayCarryPictures ? maxPictureBytes : maxResponseBytes;
        const bytes = unpacked(Buffer.from(await response.body.arrayBuffer()), headers["content-encoding"], most);
        return { status, headers, body: new TextDecoder().decode(bytes) };
      } catch (error) {
        throw networkError(error, request, sent, true);
      }
    } finally {
      time.end();
    }
  };
  return {
    send(request) {
      return limit(() => {
        const body = sentBody(request);
        return uploads.run(body?.bytes ?? 0, (upload) => exchange(request, body, upload));
      });
    },
    async open(request, signal) {
      const sent: Sent = {
        body: sentBody(request),
        startedAt: performance.now(),
        limitMs: () => requestTimeoutMs,
        taken: () => NaN,
      };
      const response = await start(await connected(), request, sent, { signal, isDownload: true });
      // A destroyed body emits an `error` event, which would end the process. A reader of the body gets the error too.
      response.body.on("error", () => undefined);
      return { status: response.statusCode, headers: response.headers, body: response.body };
    },
    async close() {
      // `connections` rejects if the settings of a proxy are wrong. In this case no connection is open.
      const opened = await connections?.catch(() => undefined);
      await opened?.destroy();
    },
  };
}

type Connections = Awaited<ReturnType<typeof openConnections>>;

/** A body in the form in which undici passes it on unchanged, so that {@link Sockets} recognises it. */
interface SentBody {
  content: Readable | Buffer;
  bytes: number;
}

function sentBody(request: HttpRequest): SentBody | undefined {
  const body = request.body?.();
  if (body === undefined) return undefined;
  if (typeof body !== "string") return { content: body.stream, bytes: body.bytes };
  const content = Buffer.from(body);
  return { content, bytes: content.length };
}

/** What is known about a request when it fails. */
interface Sent {
  body: SentBody | undefined;
  startedAt: number;
  limitMs: () => number;
  /** How many bytes the socket took. NaN if that is not known. */
  taken: () => number;
}

/** Loads undici and creates its pools. A pool opens connections when they are needed. */
async function openConnections({ requestTimeoutMs, maxConcurrency }: ConnectionSettings) {
  const undici = await import("./undici");
  assertProxies(process.env);
  const { no_proxy, NO_PROXY } = process.env;
  const timeout = Math.min(requestTimeoutMs, 10_000);
  const options = {
    // A proxy can't reach services on this machine, so these addresses bypass it.
    noProxy: [no_proxy ?? NO_PROXY ?? "", "localhost", "127.0.0.1", "[::1]"].filter(Boolean).join(","),
    connections: maxConcurrency,
    // `start` limits the duration of a request. undici's default limits of 300 s may be too short.
    headersTimeout: 0,
    bodyTimeout: 0,
    connectTimeout: timeout,
    // Gateways may add more headers than the 16 KB of Node.js, and a billed response must not be lost.
    maxHeaderSize: 256 * 1024,
  };
  const large = { ...options, maxResponseSize: maxPictureBytes };
  const connect = connectorWithSocketBelow(undici.buildConnector, { timeout });
  const sockets = new Sockets();
  const dispatchers = {
    answers: new undici.EnvHttpProxyAgent({ ...options, connect, maxResponseSize: maxResponseBytes }),
    pictures: new undici.EnvHttpProxyAgent({ ...large, connect }),
    /**
     * For URLs that must lead to a public network. With a proxy, only private IP addresses are refused, because the
     * proxy looks up host names itself.
     */
    publicPictures: new undici.EnvHttpProxyAgent({ ...large, connect: { lookup: lookupPublic, timeout } }),
  };
  /**
   * The dispatcher for one request. It calls `onSending` when the connection is open, just before it sends the request.
   */
  const reporting = (onSending: () => void, kind: keyof typeof dispatchers) =>
    dispatchers[kind].compose((dispatch) => (options, handler) => dispatch(options, reportStart(handler, onSending)));
  const destroy = () => {
    sockets.close();
    return Promise.all(Object.values(dispatchers).map((each) => each.destroy()));
  };
  return { sendRequest: undici.sendRequest, destroy, reporting, sockets };
}

/**
 * Starts a request. Resolves when the headers of the response have arrived. Of a download, only the time until it
 * begins and the time between two parts of its body are limited, because a large picture takes long.
 */
async function start(
  { sendRequest, reporting }: Connections,
  request: HttpRequest,
  sent: Sent,
  { signal, isDownload = false }: { signal: AbortSignal | undefined; isDownload?: boolean },
) {
  const { body } = sent;
  const partMs = sent.limitMs();
  let wasSent = false;
  const isLarge = request.mayCarryPictures === true || isDownload;
  const kind = (await mustBePublic(request)) ? "publicPictures" : isLarge ? "pictures" : "answers";
  // Workaround: after an abort, undici still connects and reports the start of the request, but does not send it.
  const dispatcher = reporting(() => (wasSent = signal?.aborted !== true), kind);
  const sending = sendRequest(dispatcher, request.url, {
    method: request.method,
    // Without this header, a server may compress its response.
    headers: {
      "accept-encoding": "identity",
      ...request.headers,
      ...(body && { "content-length": String(body.bytes) }),
    },
    body: body?.content ?? null,
    ...(isDownload && { headersTimeout: partMs, bodyTimeout: partMs }),
    signal: signal ?? null,
  });
  // Workaround: if aborted while the connection opens, undici reacts only once the connection is open.
  const ended = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = () => !wasSent && reject(signal?.reason as Error);
    signal?.addEventListener("abort", onAbort, { signal: ended.signal });
  });
  try {
    return await Promise.race([sending, aborted]);
  } catch (error) {
    throw networkError(error, request, sent, wasSent);
  } finally {
    // Remove the listener, because otherwise Node.js keeps the signal and the response in memory.
    ended.abort();
  }
}

const unpackers = new Map<string, (bytes: Buffer, bound: { maxOutputLength: number }) => Buffer>([
  ["gzip", (bytes, bound) => (bytes[0] === 0x1f ? gunzipSync(bytes, bound) : bytes)],
  ["br", brotliDecompressSync],
  ["deflate", (bytes, bound) => ((bytes[0] ?? 0) % 16 === 8 ? inflateSync : inflateRawSync)(bytes, bound)],
]);

/**
 * Decompresses a body. A gateway may compress a response although no request asked for it, or state gzip for a body
 * that is not compressed.
 */
export function unpacked(body: Buffer, encoding: string | string[] = "", maxOutputLength = maxPictureBytes): Buffer {
  const names = body.length === 0 ? [] : String(encoding).toLowerCase().split(",", mostEncodings);
  const unpack = (bytes: Buffer, name: string) =>
    unpackers.get(name.trim().replace(/^x-/, ""))?.(bytes, { maxOutputLength }) ?? bytes;
  return names.reduceRight(unpack, body);
}

/**
 * Whether `url` must lead to a public network (see `serviceUrl`). Rejects if it must, and its host is a private IP
 * address. A host name is checked later, when the connection is opened.
 */
async function mustBePublic({ url, serviceUrl }: HttpRequest): Promise<boolean> {
  if (serviceUrl === undefined) return false;
  const isLessSafe = url.startsWith("http:") && serviceUrl.startsWith("https:");
  if (!isLessSafe && (await isPrivateHost(new URL(serviceUrl).hostname))) return false;
  if (isPrivateAddress(new URL(url).hostname)) throw privateAddressError();
  return true;
}

/**
 * Makes `handler` call `onSending` when the connection is open (with TLS if any), just before undici writes the
 * request. undici then calls `onRequestStart` of the handler. Workaround: the handler of `request` in undici 7 has the
 * older method `onConnect` instead.
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

/** Translates a network error. If the whole request was sent, the service may have done the work. */
function networkError(error: unknown, request: HttpRequest, sent: Sent, wasSent: boolean): CloudVoiceError {
  if (CloudVoiceError.is(error)) return error;
  const cause = rootCause(error);
  const { origin } = new URL(request.url);
  const isTimeout = cause.name === "TimeoutError";
  const seconds = secondsOf(sent.limitMs());
  if (wasSent) {
    const { bytes = 0 } = sent.body ?? {};
    const isLarge = bytes > smallBodyBytes;
    const size = isLarge ? ` of ${megabytes(bytes)}` : "";
    if (isLarge && sent.taken() < bytes) {
      const after = secondsOf(performance.now() - sent.startedAt);
      const why = isTimeout ? "a time-out" : cause.text;
      const reason = `the request${size} did not get through to ${origin} in ${after} (${why}), so nothing was billed`;
      return new UnreachableError(reason, { advice: slowLine, mostAttempts: mostUploadAttempts, cause: error });
    }
    const why = isTimeout ? `none came within ${seconds}${size && ` for a request${size}`}` : cause.text;
    return new LostAnswerError(`the response from ${origin} was lost: ${why}`, {
      ...(isTimeout && { advice: isLarge ? slowLine : slowService }),
      ...(isTimeout && isLarge && { mostAttempts: mostUploadAttempts }),
      ...{ timedOut: isTimeout, cause: error },
    });
  }
  const unreachable = (why: string, facts: { advice?: string | undefined; nothingListens?: true }) =>
    new UnreachableError(`${origin} could not be reached: ${why}`, { ...facts, cause: error });
  if (cause.code === "EPROTO" || cause.code === "ERR_SSL_WRONG_VERSION_NUMBER")
    return unreachable("it does not speak TLS", {
      advice: "If it is an http address, write http:// instead of https://.",
    });
  const isLocal = isThisMachine(request.url);
  if (cause.code === "ECONNREFUSED" && isLocal)
    return unreachable(cause.text, { advice: startEmulator, nothingListens: true });
  const why = isTimeout ? `no connection within ${seconds}` : cause.text;
  return unreachable(why, { advice: isLocal ? undefined : proxyHint(request.url, process.env) });
}

const slowService = "If the service needs longer, raise cloudvoice:requestTimeoutSeconds.";
const slowLine =
  "If the line or the service needs longer, raise cloudvoice:requestTimeoutSeconds, or use a smaller recording.";

const startEmulator =
  "Nothing listens there. If it is the emulator's address, start the emulator: " +
  "`npx --no-install pulumi-cloudvoice emulator`. If not, check cloudvoice:baseUrl or CLOUDVOICE_BASE_URL.";

/**
 * The innermost error. undici wraps system errors, and Node.js combines the errors of several addresses of a host in an
 * AggregateError.
 */
function rootCause(error: unknown): { code: string; name: string; text: string } {
  const { message, name, code, cause } = describeThrown(error);
  const several = (error as Partial<AggregateError> | null)?.errors as unknown[] | undefined;
  if (several?.length) return rootCause(several[0]);
  if (code === "" && cause !== undefined) return rootCause(cause);
  return { code, name, text: code && !message.includes(code) ? `${message} (${code})` : message };
}

/**
 * A signal that aborts after `limitMs()`, which may grow meanwhile. Calls `onTimeout` before it aborts. The caller must
 * call `end`, because otherwise Node.js keeps the signal and what listens to it in memory.
 */
export function timeLimit(limitMs: () => number, onTimeout: () => void): { signal: AbortSignal; end: () => void } {
  const whole = new AbortController();
  let end = (): void => undefined;
  const wait = (fromMs: number) => {
    const untilMs = limitMs();
    // `AbortSignal.timeout` does not accept fractions of a millisecond.
    const part = AbortSignal.timeout(Math.ceil(untilMs - fromMs));
    const onEnd = () => {
      end();
      if (limitMs() > untilMs) return wait(untilMs);
      onTimeout();
      whole.abort(part.reason);
    };
    part.addEventListener("abort", onEnd);
    end = () => part.removeEventListener("abort", onEnd);
  };
  wait(0);
  return { signal: whole.signal, end: () => end() };
}
