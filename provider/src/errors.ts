/**
 * Whether the failed call cost money: `"unknown"` when the answer was lost and the service may have done the work.
 */
export type Billed = "no" | "yes" | "unknown";

export interface ErrorFacts {
  /** HTTP status of the answer, when there was one. */
  status?: number | undefined;
  /** The service's own error code, for example `Audio.PreprocessError`. */
  code?: string | undefined;
  /** The service's id of the request, to quote to its support. */
  requestId?: string | undefined;
  billed?: Billed;
  cause?: unknown;
}

// The program, the provider process and a test runner may each load a copy of this package, so `instanceof` alone is not enough.
const brand = Symbol.for("pulumi-cloudvoice.error");

/**
 * The base of all errors of this package. The message says what failed, why and what to do, with status, code and request id.
 */
export class CloudVoiceError extends Error {
  readonly status?: number;
  readonly code?: string;
  readonly requestId?: string;
  readonly billed: Billed;

  constructor(message: string, facts: ErrorFacts = {}) {
    super(withFacts(message, facts), facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = new.target.name;
    if (facts.status !== undefined) this.status = facts.status;
    if (facts.code !== undefined) this.code = facts.code;
    if (facts.requestId !== undefined) this.requestId = facts.requestId;
    this.billed = facts.billed ?? "no";
    Object.defineProperty(this, brand, { value: true });
  }

  /** True for an error of this package, whichever copy of the package made it. */
  static is(error: unknown): error is CloudVoiceError {
    return typeof error === "object" && error !== null && brand in error;
  }
}

/** Input or settings that this package refuses before any call. */
export class InputError extends CloudVoiceError {}

/** The key is missing, unknown to the service, or not allowed to do this. */
export class AuthenticationError extends CloudVoiceError {}

/** The service refused the request: the same request will be refused again. */
export class RejectedError extends CloudVoiceError {}

/** The account is full. Never worth a retry: something must be deleted first. */
export class QuotaError extends CloudVoiceError {}

/** The service knows no voice, task or image of this name. */
export class NotFoundError extends CloudVoiceError {}

/** Too many calls. The service did nothing, so the call may be sent again after `retryAfterMs`. */
export class RateLimitError extends CloudVoiceError {
  constructor(
    message: string,
    facts: ErrorFacts = {},
    readonly retryAfterMs?: number,
  ) {
    super(message, facts);
  }
}

/** The service failed (5xx, 408): whether it did the work is not known. */
export class ServiceError extends CloudVoiceError {
  constructor(
    message: string,
    facts: ErrorFacts = {},
    readonly retryAfterMs?: number,
  ) {
    super(message, facts);
  }
}

/** The service could not be reached: nothing was done. */
export class UnreachableError extends CloudVoiceError {}

/** The request went out and no whole answer came back: whether the work was done is not known. */
export class LostAnswerError extends CloudVoiceError {
  constructor(
    message: string,
    facts: ErrorFacts = {},
    /** No answer came in time: the service may still be at work. */
    readonly timedOut = false,
  ) {
    super(message, facts);
  }
}

/** A whole answer of an unknown form. The work behind it may have been done. */
export class UnexpectedAnswerError extends CloudVoiceError {}

function withFacts(message: string, { status, code, requestId }: ErrorFacts): string {
  const facts = [status && `HTTP ${status}`, code, requestId && `request id ${requestId}`].filter(Boolean);
  return facts.length === 0 ? message : `${message} (${facts.join(", ")})`;
}
