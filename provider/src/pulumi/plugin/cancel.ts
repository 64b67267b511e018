import { setMaxListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { type Clock, systemClock } from "../../service/clock";

/** The person who runs the update has cancelled it. Whether a request that was sent has been billed is not known. */
export class CancelledError extends Error {
  constructor() {
    super("the operation was cancelled. Run it again to continue");
  }
}

/** Ctrl-C, which the engine passes on to a plugin. Requests that were sent run to their end, and none is added. */
export class Cancellation {
  private readonly controller = new AbortController();

  constructor() {
    // Any number of calls wait at the same time.
    setMaxListeners(0, this.controller.signal);
  }

  cancel(): void {
    this.controller.abort();
  }

  assertNotCancelled(): void {
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
}
