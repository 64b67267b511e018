import type { Readable } from "node:stream";
import { once } from "../once";
import { describeThrown } from "../describe-thrown";
import { CloudVoiceError, LostAnswerError, UnreachableError } from "../errors";

export interface HttpRequest {
  method: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  /** Called for each attempt, so that a body is read from its file when it is sent and not held while it waits. */
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

/** The one way to the network. Rejects with {@link UnreachableError} or {@link LostAnswerError}; any status is an answer. */
export interface Http {
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Opens a download. The caller reads the stream to its end or destroys it. */
  open(request: HttpRequest): Promise<{ status: number; headers: HttpResponse["headers"]; body: Readable }>;
  close(): Promise<void>;
}

export interface HttpOptions {
  requestTimeoutMs: number;
  maxConcurrency: number;
}

/** Answers are small, and images under this; anything larger is not the service speaking. */
const largestAnswerBytes = 80 * 1024 * 1024;

/** Talks through undici: pooled connections, proxies from the environment, redirects never followed. */
export function undiciHttp({ requestTimeoutMs, maxConcurrency }: HttpOptions): Http {
  // Loaded at the first call: a preview that makes none does not pay for it.
  const loading = once(async () => {
    const undici = await import("undici");
    const { default: PQueue } = await import("p-queue");
    const { no_proxy, NO_PROXY } = process.env;
    const dispatcher = new undici.EnvHttpProxyAgent({
      // What listens on this machine is never reached by way of another.
      noProxy: [no_proxy ?? NO_PROXY ?? "", "localhost", "127.0.0.1", "[::1]"].filter(Boolean).join(","),
      connections: maxConcurrency,
      // The signal below bounds the whole call; undici's own bounds would end a longer one early.
      headersTimeout: 0,
      bodyTimeout: 0,
      connectTimeout: Math.min(requestTimeoutMs, 10_000),
      maxResponseSize: largestAnswerBytes,
    });
    return { request: undici.request, dispatcher, queue: new PQueue({ concurrency: maxConcurrency }) };
  });

  /** Bounded as a whole, unless bounds for its parts are given: a download may take its time while it goes on. */
  async function start(request: HttpRequest, bounds?: { headersTimeout: number; bodyTimeout: number }) {
    const { request: send, dispatcher } = await loading();
    const body = request.body?.();
    const streamed = typeof body === "object" ? body : undefined;
    try {
      return await send(request.url, {
        dispatcher,
        method: request.method,
        headers: { ...request.headers, ...(streamed && { "content-length": String(streamed.bytes) }) },
        body: streamed ? streamed.stream : ((body as string | undefined) ?? null),
        // The timer takes whole milliseconds only.
        ...(bounds ?? { signal: AbortSignal.timeout(Math.ceil(requestTimeoutMs)) }),
      });
    } catch (error) {
      throw networkError(error, request, requestTimeoutMs);
    }
  }

  return {
    async send(request) {
      const { queue } = await loading();
      return queue.add(async () => {
        const answer = await start(request);
        try {
          return { status: answer.statusCode, headers: answer.headers, body: await answer.body.text() };
        } catch (error) {
          throw networkError(error, request, requestTimeoutMs);
        }
      });
    },
    async open(request) {
      const answer = await start(request, { headersTimeout: requestTimeoutMs, bodyTimeout: requestTimeoutMs });
      // A body that is thrown away unread says so by an error, which is nobody's: whoever reads it hears of failures there.
      answer.body.on("error", () => undefined);
      return { status: answer.statusCode, headers: answer.headers, body: answer.body };
    },
    async close() {
      const { dispatcher } = await loading();
      await dispatcher.destroy();
    },
  };
}

// Failures before the first byte of the request can leave: name look-up, connection, TLS.
const neverSent = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_INVALID_ARG",
  "ERR_INVALID_URL",
]);

function networkError(error: unknown, request: HttpRequest, timeoutMs: number): CloudVoiceError {
  if (CloudVoiceError.is(error)) return error;
  const cause = rootCause(error);
  const where = new URL(request.url).origin;
  if (cause.code === "EPROTO" || cause.code === "ERR_SSL_WRONG_VERSION_NUMBER") {
    return new UnreachableError(
      `${where} could not be reached: it does not speak TLS as https needs it; is it an http address?`,
      { cause: error },
    );
  }
  if (neverSent.has(cause.code) || /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(cause.code)) {
    return new UnreachableError(`${where} could not be reached: ${cause.text}`, { cause: error });
  }
  const timedOut = cause.name === "TimeoutError";
  const why = timedOut ? `no answer within ${timeoutMs / 1000} s` : cause.text;
  return new LostAnswerError(`the answer of ${where} was lost: ${why}`, { billed: "unknown", cause: error }, timedOut);
}

/** The innermost failure: connecting to several addresses fails with a list, and libraries wrap what the system said. */
function rootCause(error: unknown): { code: string; name: string; text: string } {
  const { message, name, code, cause } = describeThrown(error);
  const several =
    typeof error === "object" && error !== null && "errors" in error && Array.isArray(error.errors)
      ? (error.errors as unknown[])
      : [];
  if (several.length > 0) return rootCause(several[0]);
  if (code === "" && cause !== undefined) return rootCause(cause);
  return { code, name, text: code && !message.includes(code) ? `${message} (${code})` : message };
}
