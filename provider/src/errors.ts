import { visible } from "./rules/visible";

/** Whether the failed call cost money. `"unknown"`: its response was lost, and the service may have done the work. */
export type Billed = "no" | "yes" | "unknown";

/** The parts of an error besides its reason. */
export interface ErrorFacts {
  /** What the call was for, as the start of the message: `creating the voice narrator`. */
  purpose?: string | undefined;
  /** HTTP status of the response, when there was one. */
  status?: number | undefined;
  /** The service's own error code, for example `Audio.PreprocessError`. */
  code?: string | undefined;
  /** The service's id of the request, to quote to its support. */
  requestId?: string | undefined;
  billed?: Billed;
  /** How long the service asks to wait, in milliseconds, if it says so. */
  retryAfterMs?: number | undefined;
  /** What to do about it, in full sentences. */
  advice?: string | undefined;
  /** The most times that the request is sent, if it fails so each time. @internal */
  mostAttempts?: number | undefined;
  cause?: unknown;
}

// `instanceof` is not enough: the program, the provider process and a test runner may each load a copy of this package.
const brand = Symbol.for("pulumi-cloudvoice.error");

/**
 * The base of all errors of this package. The message is composed of the parts:
 * `<purpose> failed: <reason> (HTTP <status>, <code>, request id <requestId>). <advice>`.
 */
export class CloudVoiceError extends Error {
  /** What the call was for. */
  readonly purpose?: string;
  /** Why it failed. */
  readonly reason: string;
  readonly status?: number;
  readonly code?: string;
  readonly requestId?: string;
  readonly billed: Billed;
  /** How long the service asks to wait, in milliseconds, if it says so. */
  readonly retryAfterMs?: number;
  /** What to do about it. */
  readonly advice?: string;
  /**
   * The most times that the request is sent, if it fails so each time.
   * @internal
   */
  readonly mostAttempts?: number;
  /**
   * Whether the same call may succeed later. A call is sent again only if this holds and nothing was billed.
   * @internal
   */
  readonly isTransient: boolean = false;

  constructor(reason: string, facts: ErrorFacts = {}) {
    // Names from the program or the service may contain characters that control a terminal.
    super(visible(composeMessage(reason, facts)), facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = new.target.name;
    this.reason = reason;
    this.billed = facts.billed ?? "no";
    for (const part of ["purpose", "status", "code", "requestId", "retryAfterMs", "advice", "mostAttempts"] as const)
      if (facts[part] !== undefined) Object.assign(this, { [part]: facts[part] });
    Object.defineProperty(this, brand, { value: true });
  }

  /** True for an error of this package, whichever copy of the package created it. */
  static is(error: unknown): error is CloudVoiceError {
    return typeof error === "object" && error !== null && brand in error;
  }

  /**
   * A copy with other parts, and with the stack of this error below the new message. For callers that know more than
   * the code that threw. They may share this error, so it stays unchanged.
   * @internal
   */
  amend(changes: { [Part in "purpose" | "reason" | "code" | "requestId" | "billed" | "advice"]?: this[Part] }): this {
    const facts: ErrorFacts & { reason: string } = Object.assign({}, this, changes);
    const copy = new CloudVoiceError(facts.reason, { ...facts, cause: this.cause });
    // The stack begins with the old message, whose parts may be secret. Keep only the frames.
    const frames = this.stack?.split(this.message).at(-1) ?? "";
    const { message } = copy;
    const stack = `${this.name}: ${message}${/^\n\s+at /.test(frames) ? frames : ""}`;
    Object.setPrototypeOf(copy, Object.getPrototypeOf(this) as object);
    const { received } = this as { received?: unknown };
    if (received !== undefined) Object.defineProperty(copy, "received", { value: received, enumerable: false });
    return Object.assign(copy, this, changes, { message, stack });
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

/** The service does not have the voice, task or image. */
export class NotFoundError extends CloudVoiceError {}

/** Too many calls. The service did nothing, so the call may be sent again after `retryAfterMs`. */
export class RateLimitError extends CloudVoiceError {}

/** The service failed (5xx, 408, 460, 499). It is not known whether it did the work. */
export class ServiceError extends CloudVoiceError {
  /** @internal */
  override readonly isTransient = true;
}

/** The service could not be reached: nothing was done. */
export class UnreachableError extends CloudVoiceError {
  /** @internal */
  override readonly isTransient = true;
  /**
   * Whether nothing listens at an address of this machine. Waits for such an address are shorter than for another
   * machine.
   * @internal
   */
  readonly nothingListens: boolean;

  constructor(reason: string, facts: ErrorFacts & { nothingListens?: boolean } = {}) {
    super(reason, facts);
    this.nothingListens = facts.nothingListens ?? false;
  }
}

/** The request was sent and no complete response came back. It is not known whether the work was done. */
export class LostAnswerError extends CloudVoiceError {
  /** @internal */
  override readonly isTransient = true;
  /**
   * Whether this package stopped waiting, so that the request may still arrive.
   * @internal
   */
  readonly timedOut: boolean;

  constructor(reason: string, facts: ErrorFacts & { timedOut?: boolean } = {}) {
    super(reason, facts);
    this.timedOut = facts.timedOut ?? false;
  }
}

/** A complete response of an unknown form. The work behind it may have been done. */
export class UnexpectedAnswerError extends CloudVoiceError {
  /**
   * The response, without secrets. Undefined if an input was secret.
   * @internal
   */
  readonly received?: unknown;

  constructor(reason: string, { received, ...facts }: ErrorFacts & { received?: unknown } = {}) {
    super(reason, facts);
    // Not enumerable: a printed error must not include the response, which may be long.
    Object.defineProperty(this, "received", { value: received, enumerable: false, writable: true });
  }
}

function composeMessage(reason: string, { purpose, status, code, requestId, billed, advice }: ErrorFacts): string {
  const failure = purpose === undefined ? reason : `${purpose} failed: ${reason}`;
  const facts = [status && `HTTP ${status}`, code, requestId && `request id ${requestId}`].filter(Boolean);
  const sentence = facts.length === 0 ? failure : `${failure.replace(/(?<![.\s])[.\s]+$/, "")} (${facts.join(", ")})`;
  const bill = { no: undefined, yes: "This call was billed.", unknown: "This call may have been billed." };
  const more = [bill[billed ?? "no"], advice].filter(Boolean);
  return more.length === 0 ? sentence : `${sentence}${/[.!?]$/.test(sentence) ? "" : "."} ${more.join(" ")}`;
}
