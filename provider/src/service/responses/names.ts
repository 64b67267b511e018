/** Names are compared without case and punctuation: `error_code`, `errorCode`. */
export const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/** Patterns of whole names, separated by white space. */
const names = (patterns: string) => new RegExp(`^(${patterns.trim().split(/\s+/).join("|")})$`);
const beginnings = (patterns: string) => names(patterns.replace(/\S+/g, "$&.*"));

/** The one table of the meanings of field names. The names of fields with results are in the table of forms.ts. */
const table = {
  /** Objects that repeat the request, or have names that the caller chose. Nothing inside is a result. */
  echo: names("inputs? request parameters questions? answers"),
  /** Describes an error. */
  error: names(
    "(is|has|last)?(errors?|err|faults?|exceptions?|failures?|failed|problems?)(count|num|info|messages?|msgs?)?",
  ),
  /** Beside a result: a list that never has the voices. */
  aside: names(`warnings? messages? usage billing meta(data)? headers? links? tags labels flags facets quotas? limits?
    plan package permissions scopes sort filters? deleted folders suggestions`),
  /** Beside a result: a picture from which a task was made, or a small copy of the task's picture. */
  otherPicture: beginnings("ref input source orig mask init thumb preview poster cover avatar logo user author sample"),
  /** An object about another voice or task, from which this one was made. */
  other: beginnings(`parent previous prev last base basis derived original origin clone copy retry ref source template
    preset default`),
  code: names("(http|status|error|err|ret|return|result|sub|biz|fail|failure|fault)?(code|no) ret errorid"),
  message: names("(error|err|status|ret|return|result)?(message|msg|description|desc|info) reason detail"),
  state: names("status state result outcome"),
  success: names("(is)?(success|successful|ok|succeeded|deleted|removed)"),
  /** Says that other pages follow. */
  more: names(`has(more|next)\\w* more nextpage (odata)?next(page|continuation)?(token|cursor|url|link|marker)? cursor
    continuationtoken lastevaluatedkey`),
  /** Says that no other page follows. */
  whole: names("(is)?(complete|last|lastpage|end|final)"),
  /** Says that this page is the only one. */
  only: names("first empty"),
  /** Says that the result lacks something. */
  part: names(`.*(partial|incomplete|degraded|stale|truncated|timedout|warning|unreachable|unavailable|skipped).*
    (failed|missing).*`),
  requestId: names("x?requestid traceid"),
  duration: names("(latency|took|elapsed|duration)(ms|millis|seconds)?"),
  pageNumber: names("(page|current)?(page|pageindex|pageno|pagenum|pagenumber|number|offset)"),
  pageSize: names("(page|current)?(pagesize|size|limit|perpage)"),
  /** A number of other things than voices, or of the voices on one page. */
  otherTotal: names("total(pages|items|size|records|results) numberofelements pages pagecount returned"),
} satisfies Record<string, RegExp>;

export type NameKind = keyof typeof table;

export const isNamed = (name: string, ...kinds: NameKind[]) => kinds.some((kind) => table[kind].test(plain(name)));

/** Whether a field is no result, by its name. */
export const isAside = (name: string) => isNamed(name, "aside", "otherPicture", "error", "echo");
