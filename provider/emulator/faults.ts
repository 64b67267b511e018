import { seededRandom } from "./draw";
import type { Action } from "./ledger";
import type { Reply } from "./outcome";

export const faultKinds = [
  "429",
  "429-retry-after",
  "500",
  "500-after",
  "html-502",
  "slow",
  "cut-json",
  "empty-body",
  "empty-object",
  "error-200",
  "html-200",
  "unavailable-200",
  "refusal-200",
  "total-only",
  "reset-before",
  "reset-after",
] as const;
/**
 * The kinds of faults. `429`, `429-retry-after`, `500`, `html-502` and `reset-before` happen before the work, which is
 * then not done. `500-after`, `reset-after` and `cut-json` happen after the work, so that only the response is lost.
 * `slow` delays the call by `delayMs`.
 *
 * The other kinds are responses with status 200 that do not report a result: no body, `{}`, an error, the page of
 * another service, a message instead of the fields, a refusal among default fields, and a total without rows. The work
 * is not done, except with `afterWork`.
 */
export type FaultKind = (typeof faultKinds)[number];

export interface FaultRule {
  kind: FaultKind;
  /** The actions that the fault affects. Default: all actions. */
  on?: Action[];
  /** How many calls the fault affects before it ends. Default: no limit. */
  times?: number;
  /** How many matching calls are not affected before the first fault. Default: 0. */
  skip?: number;
  /** The probability that a matching call is affected, from 0 to 1. Default: 1. */
  probability?: number;
  /** For a response that does not report a result: whether the work is done nevertheless. Default: false. */
  afterWork?: boolean;
  /** For `slow`: the delay in milliseconds. Default: 1,000. */
  delayMs?: number;
  /** For `429-retry-after`: the value of the header `Retry-After` in seconds. Default: 1. */
  retryAfterSeconds?: number;
}

/** The bodies of the responses with status 200 that do not report a result. */
const silentBodies = {
  "empty-body": () => "",
  "empty-object": () => ({}),
  "error-200": (request_id) => ({ code: "InternalError", message: "An internal error has occurred.", request_id }),
  "html-200": () => "<!doctype html><html><body><h1>Sign in</h1><p>Please sign in to this network.</p></body></html>",
  "unavailable-200": (request_id) => ({ request_id, count: 0, message: "temporarily unavailable" }),
  "refusal-200": (request_id) => ({
    ...{ request_id, count: 0, voice_list: [], task_id: null, answers: null },
    base_resp: { status_code: 1002, status_msg: "rate limit" },
  }),
  "total-only": (request_id) => ({ output: { total_count: 7 }, usage: { count: 0 }, request_id }),
} satisfies Partial<Record<FaultKind, (requestId: string) => string | object>>;
export type SilentKind = keyof typeof silentBodies;
export const silentKinds = faultKinds.filter((kind): kind is SilentKind => kind in silentBodies);
export const saysNothing = (kind: FaultKind): kind is SilentKind => kind in silentBodies;

export function silentReply(kind: SilentKind, requestId: string): Reply {
  const body = silentBodies[kind](requestId);
  const headers = { "content-type": kind === "html-200" ? "text/html" : "application/json" };
  return { status: 200, headers, body: typeof body === "string" ? body : JSON.stringify(body) };
}

/**
 * Selects the fault of each call. The first matching rule applies. The random numbers have a seed, so that a run can be
 * repeated.
 */
export class Faults {
  private rules: (FaultRule & { remaining: number; toSkip: number })[] = [];
  private random: () => number;

  constructor(rules: FaultRule[] = [], seed = 1) {
    this.random = seededRandom(seed);
    this.set(rules);
  }

  set(rules: FaultRule[], seed?: number): void {
    if (seed !== undefined) this.random = seededRandom(seed);
    this.rules = rules.map((rule) => ({ ...rule, remaining: rule.times ?? Infinity, toSkip: rule.skip ?? 0 }));
  }

  next(action: Action): FaultRule | undefined {
    for (const rule of this.rules) {
      if (rule.remaining <= 0 || (rule.on && !rule.on.includes(action))) continue;
      if (rule.toSkip > 0) {
        rule.toSkip--;
        continue;
      }
      if (this.random() >= (rule.probability ?? 1)) continue;
      rule.remaining--;
      return rule;
    }
    return undefined;
  }
}
