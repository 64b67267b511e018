import { setMaxListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { type Clock, systemClock } from "../../service/clock";
import { type Http, undiciHttp } from "../../service/http";
import type { Settings } from "../../rules/settings";
import type { OperationParts } from "./operation";

const graceMs = 4000;

/** The person who runs the update has cancelled it. Whether a request that was sent has been billed is not known. */
export class CancelledError extends Error {
  /** As for every aborted operation of Node.js. */
  override readonly name = "AbortError";

  constructor() {
    super("the operation was cancelled. Run it again to continue");
  }
}

/**
 * Ctrl-C, which the engine passes on to a plugin, or the end of the engine. Requests to the service that were sent run to their end, and no
 * billed one is added. Waits and downloads of images end at once.
 */
export class Cancellation {
  private readonly controller = new AbortController();

  constructor() {
    // Any number of calls wait at the same time.
    setMaxListeners(0, this.controller.signal);
  }

  /** What an operation needs to obey. */
  operationParts(settings: Settings): OperationParts {
    return {
      clock: this.clock,
      stopped: this.stopped,
      http: this.http(undiciHttp(settings)),
      assertNotCancelled: () => this.assertNotCancelled(),
    };
  }

  /** Resolves when the grace period after a cancel is over. The engine ends the process soon after that. */
  readonly stopped = new Promise<void>((resolve) => {
    this.controller.signal.addEventListener("abort", () => setTimeout(resolve, graceMs));
  });

  /** Resolves at the cancel. */
  readonly begun = new Promise<void>((resolve) => this.controller.signal.addEventListener("abort", () => resolve()));

  cancel(): void {
    this.controller.abort(new CancelledError());
  }

  private assertNotCancelled(): void {
    if (this.controller.signal.aborted) throw new CancelledError();
  }

  /** A clock whose waits end at once, so that no retry and no image task is waited for any longer. */
  readonly clock: Clock = {
    ...systemClock,
    sleep: (ms) =>
      delay(ms, undefined, { signal: this.controller.signal }).catch(() => {
        throw new CancelledError();
      }),
  };

  /** The same network access, but downloads end at a cancel. The next update fetches the images, at no cost. */
  http(http: Http): Http {
    const { signal } = this.controller;
    return {
      ...http,
      open: (request, limit) => http.open(request, limit ? AbortSignal.any([limit, signal]) : signal),
    };
  }
}
