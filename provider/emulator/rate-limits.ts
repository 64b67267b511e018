import type { Action } from "./ledger";

/** The number of accepted calls per second, by action. */
export type CallsPerSecond = { [A in Action]?: number | undefined };

/**
 * Refuses calls that exceed the rate. An action has at most its number of accepted calls in any period of one second.
 */
export class RateLimits {
  private readonly accepted = new Map<Action, number[]>();

  constructor(private limits: CallsPerSecond = {}) {}

  set(limits: CallsPerSecond): void {
    this.limits = limits;
    this.accepted.clear();
  }

  accepts(action: Action): boolean {
    const limit = this.limits[action];
    if (limit === undefined) return true;
    // Use the real time and not the emulator's clock, because clients wait in real time.
    const now = performance.now();
    const recent = (this.accepted.get(action) ?? []).filter((at) => at > now - 1000);
    const isAccepted = recent.length < limit;
    this.accepted.set(action, isAccepted ? [...recent, now] : recent);
    return isAccepted;
  }
}
