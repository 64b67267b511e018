import type { Action } from "./ledger";
import { invalid, type Outcome } from "./outcome";

/** Forms of responses that the service may also use (docs/service.md). By default the emulator uses none of them. */
export const quirks = {
  "refusal-as-200": "a refusal has the status 200, with `code` and `message` in the body",
  "null-list": "the list of an account without voices is `null`",
  "absent-list": "the list of an account without voices is left out",
  "small-pages": "a list with a `page_size` over 100 is refused with 400",
  "no-gmt-create": "listed voices have no `gmt_create`",
  "gmt-create-seconds": "`gmt_create` is a number of seconds since 1970",
  "gmt-create-other": "`gmt_create` has a form that nobody knows",
  "unknown-create": "a create succeeds with a response of an unknown form",
  "double-count": "a create bills two operations",
  "missing-answer": "a decision lacks the answer to its first question",
  "out-of-range": "the numbers of a decision lie a little outside their usual ranges",
} as const;
export type Quirk = keyof typeof quirks;
export const quirkNames = Object.keys(quirks) as [Quirk, ...Quirk[]];

/** The refusal of a request that this service does not accept, although its interface description allows it. */
export function quirkRefusal(body: unknown, enabled: ReadonlySet<Quirk>): Outcome | undefined {
  const { input } = (body ?? {}) as { input?: { page_size?: unknown } };
  const isLarge = Number(input?.page_size) > 100;
  return enabled.has("small-pages") && isLarge ? invalid("page_size must not exceed 100.") : undefined;
}

/** The outcome in the form that the quirks ask for. */
export function withQuirks(outcome: Outcome, action: Action, enabled: ReadonlySet<Quirk>): Outcome {
  const { status, code, message, output } = outcome;
  // A 429 is read by its status.
  if (status >= 400 && status !== 429 && enabled.has("refusal-as-200"))
    return { ...outcome, status: 200, output: { code, message } };
  if (status !== 200 || output === undefined) return outcome;
  switch (action) {
    case "list":
      return { ...outcome, output: listWithQuirks(output, enabled) };
    case "create":
      if (enabled.has("unknown-create")) return { ...outcome, output: { done: true } };
      return enabled.has("double-count") ? { ...outcome, usage: { count: 2 }, charge: 0.02 } : outcome;
    case "decide":
      return { ...outcome, output: { ...output, answers: answersWithQuirks(output.answers as Answers, enabled) } };
    default:
      return outcome;
  }
}

type Rows = { voice_list?: { gmt_create?: unknown }[] | null };
type Answers = Record<string, Record<string, unknown>>;

function listWithQuirks(output: Record<string, unknown>, enabled: ReadonlySet<Quirk>): Record<string, unknown> {
  const { voice_list: rows, ...rest } = output as Rows;
  if (rows?.length === 0 && enabled.has("absent-list")) return rest;
  if (rows?.length === 0 && enabled.has("null-list")) return { ...rest, voice_list: null };
  const changed = rows?.map(({ gmt_create: at, ...row }) => {
    if (enabled.has("no-gmt-create")) return row;
    if (enabled.has("gmt-create-seconds")) return { ...row, gmt_create: Date.parse(`${String(at)}Z`) / 1000 };
    return { ...row, gmt_create: enabled.has("gmt-create-other") ? `on ${String(at)}` : at };
  });
  return { ...rest, voice_list: changed };
}

function answersWithQuirks(answers: Answers, enabled: ReadonlySet<Quirk>): Answers {
  const entries = Object.entries(answers).slice(enabled.has("missing-answer") ? 1 : 0);
  if (!enabled.has("out-of-range")) return Object.fromEntries(entries);
  const shifted = (value: unknown) => (typeof value === "number" ? value + 5 : value);
  return Object.fromEntries(
    entries.map(([id, answer]) => [
      id,
      Object.fromEntries(Object.entries(answer).map(([field, value]) => [field, shifted(value)])),
    ]),
  );
}
