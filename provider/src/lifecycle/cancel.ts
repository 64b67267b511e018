import { setMaxListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { type Clock, systemClock } from "../service/clock";
import { type Http, undiciHttp } from "../service/http";
import type { Settings } from "../rules/settings";
import type { Layer } from "./lifecycle";

/** The operation was cancelled. A request that was sent before may have been billed. */
export class CancelledError extends Error {
  /** The name that Node.js gives the error of an abort. */
  override readonly name = "AbortError";

  constructor() {
    super("the operation was cancelled. Run it again to continue");
  }
}

/**
 * The cancel of an operation, by Ctrl-C (which the engine passes on to a plugin) or because the engine has exited.
 * After a cancel, requests that were sent are finished, and billed requests are not sent any more. Waits and downloads
 * end immediately.
 */
export class Cancellation {
  private readonly controller = new AbortController();

  constructor() {
    // Avoids the warning of Node.js about a leak: any number of calls may listen.
    setMaxListeners(0, this.controller.signal);
  }

  operationParts(settings: Settings) {
    return {
      clock: this.clock,
      http: this.http(undiciHttp(settings)),
      assertNotCancelled: () => this.controller.signal.throwIfAborted(),
    };
  }

  readonly begun = new Promise<void>((resolve) => this.controller.signal.addEventListener("abort", () => resolve()));

  cancel(): void {
    this.controller.abort(new CancelledError());
  }

  /** The waits before retries and for image tasks end at a cancel. */
  readonly clock: Clock = {
    ...systemClock,
    sleep: (ms) =>
      delay(ms, undefined, { signal: this.controller.signal }).catch(() => {
        throw new CancelledError();
      }),
  };

  /** Ends downloads at a cancel. The next update downloads the images at no cost. */
  http(http: Http): Http {
    const { signal } = this.controller;
    return {
      ...http,
      open: (request, limit) => http.open(request, limit ? AbortSignal.any([limit, signal]) : signal),
    };
  }
}

/** The running calls that change something: `create`, `update` and `delete`. */
export class Underway {
  private running = 0;
  private readonly ends: (() => void)[] = [];

  readonly counted: Layer = (inner) => ({
    ...inner,
    create: (...args) => this.run(() => inner.create(...args)),
    update: (...args) => this.run(() => inner.update(...args)),
    delete: (...args) => this.run(() => inner.delete(...args)),
  });

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.running++;
    try {
      return await work();
    } finally {
      this.running--;
      if (this.running === 0) for (const resolve of this.ends.splice(0)) resolve();
    }
  }

  /** Resolves once no such call is under way. */
  ended(): Promise<void> {
    return new Promise((resolve) => (this.running === 0 ? resolve() : this.ends.push(resolve)));
  }
}
