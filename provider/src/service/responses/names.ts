/** Names are compared without case and punctuation: `error_code`, `errorCode`. */
export const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/** Below these names a response repeats the request, or has names that the caller chose. They hold no result. */
const echoNames = /^(inputs?|request|parameters|query|echo|questions?|answers|probabilities|legend)$/;
/** A field that describes an error. */
const errorNames =
  /^(is|has|last)?(errors?|err|faults?|exceptions?|failures?|failed|problems?)(count|num|info|messages?|msgs?)?$/;
/** What stands beside a result and is none: pictures that a task was made from, and lists that never have the voices. */
const asideNames =
  /^(ref|input|source|orig|mask|init|thumb|preview|poster|cover|avatar|logo|user|author|sample)|^(warnings?|messages?|usage|billing|meta(data)?|headers?|links?|tags|labels|flags|facets|quotas?|limits?|plan|package|permissions|scopes|sort|filters?|deleted|folders|suggestions)$/;

/** An object that describes something else than the result: another voice or task, of which this one was made. */
const otherNames =
  /^(parent|previous|prev|last|base|basis|derived|original|origin|clone|copy|retry|ref|source|template|preset|default)/;

export const isOther = (name: string) => otherNames.test(plain(name)) || isEcho(name);
export const isEcho = (name: string) => echoNames.test(plain(name));
export const isErrorName = (name: string) => errorNames.test(plain(name));
export const isAside = (name: string) => asideNames.test(plain(name)) || isErrorName(name) || isEcho(name);
