/** Names are compared without case and punctuation: `error_code` equals `errorCode`. */
export const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/** Builds a regular expression from patterns of whole names, which are separated by white space. */
const names = (patterns: string) => new RegExp(`^(${patterns.trim().split(/\s+/).join("|")})$`);
const beginnings = (patterns: string) => names(patterns.replace(/\S+/g, "$&.*"));

/** The only table of what field names mean. The names of the fields that hold results are in the table in forms.ts. */
const table = {
  /** An object that repeats the request, or whose keys the caller chose. It does not contain a result. */
  echo: names("inputs? request parameters questions? answers"),
  error: names(
    "(is|has|last)?(errors?|err|faults?|exceptions?|failures?|failed|problems?)(count|num|info|messages?|msgs?)?",
  ),
  /** An object about another voice or task, e.g. the one from which this one was made. */
  other: beginnings(`parent previous prev last base basis derived original origin clone copy retry ref source template
    preset default`),
  code: names("(http|status|error|err|ret|return|result|sub|biz|fail|failure|fault)?(code|no) ret errorid"),
  message: names("(error|err|status|ret|return|result)?(message|msg|description|desc|info) reason detail"),
  state: names("status state result outcome"),
  success: names("(is)?(success|successful|ok|succeeded|deleted|removed)"),
  /** A field that says that other pages follow. */
  more: names(`has(more|next)\\w* more nextpage (odata)?next(page|continuation)?(token|cursor|url|link|marker)? cursor
    continuationtoken lastevaluatedkey`),
  /** A field that says that the result is incomplete. */
  part: names(`.*(partial|incomplete|degraded|stale|truncated|timedout|warning|unreachable|unavailable|skipped).*
    (failed|missing).*`),
  requestId: names("x?requestid traceid"),
} satisfies Record<string, RegExp>;

export const isNamed = (name: string, ...kinds: (keyof typeof table)[]) =>
  kinds.some((kind) => table[kind].test(plain(name)));
