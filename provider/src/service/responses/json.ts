import { isRecord } from "../../rules/is-record";

/*
 * The bounds on reading a response. All responses of the service are far below them: a page of 1,000 voices has 4,000
 * nodes. Searching 100,000 nodes takes half a second.
 */

const mostNodes = 100_000;
const deepest = 64;
/** No known field has a longer name. But the name may be an id, and it is part of each path through the field. */
const longestName = 10_000;
/** A text in JSON may be JSON itself. It is parsed down to this depth. */
const deepestText = 3;
/** A longer id is an error. An id is never shortened, because it is sent back to the service. */
export const maxIdLength = 4000;
export const longestUrl = 16_384;
export const mostImages = 1000;
/** The bounds on searching the texts of an error: all texts, those of one list, and the characters of each. */
export const mostSearched = 500;
export const mostOfList = 20;
export const longestText = 5000;
/** The most characters that a state or an error keeps. Without pictures, responses are far shorter. */
export const mostKept = 200_000;
/** The most characters of the text that shows why a voice is unusable. */
export const mostOfWord = 200;
/**
 * The bounds of a message about a response that is not understood: the characters of the message and of each text in
 * it, the number of field names, and the characters of each name.
 */
export const mostShown = 1000;
export const mostOfText = 100;
export const mostNames = 20;
export const mostOfName = 40;
/** The most characters of a gateway's HTML page that are read. */
export const longestPage = 20_000;

/**
 * Parses a body, so that all readers of the response see the same. If there is no `json`, `problem` states the reason.
 * Numbers with 16 digits or more become strings, because JavaScript would change their last digits. `NaN` becomes null.
 * JSON inside a text is parsed too. `shown` replaces secrets in each name and text.
 *
 * The depth, size and names of the result are bounded, so readers need no bounds of their own against a hostile
 * response. A field name that is too long is a problem, because it may be the id of a voice or a question. With
 * `shortensNames` it is shortened instead (for the look-up of a task).
 */
export function parseBody(
  body: string,
  shown: (text: string) => string = (text) => text,
  { shortensNames = false } = {},
): { json: unknown; problem?: string } {
  const text = body.replace(/^\uFEFF/, "");
  if (!hasFewTokens(text)) return { json: undefined, problem: tooLarge };
  const parsed = parseJson(text);
  if (parsed === undefined) return { json: undefined, problem: "the response is not JSON, or it was cut short" };
  if (hasNameTwice(text)) return { json: undefined, problem: "an object in the response has a duplicate key" };
  let nodes = 0;
  let problem: string | undefined;
  const copy = (value: unknown, depth: number, texts: number): unknown => {
    if (++nodes > mostNodes || depth > deepest) {
      problem = depth > deepest ? `the response is nested deeper than ${deepest} levels` : tooLarge;
      return undefined;
    }
    if (typeof value === "string") {
      const isJson = texts < deepestText && /^\s*[[{]/.test(value);
      if (isJson && !hasFewTokens(value)) problem = tooLarge;
      const inner = isJson && problem === undefined ? parseJson(value) : undefined;
      const isSound = typeof inner === "object" && inner !== null && !hasNameTwice(value);
      return isSound ? copy(inner, depth + 1, texts + 1) : shown(value);
    }
    if (Array.isArray(value)) return value.map((each) => copy(each, depth + 1, texts));
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).map(([name, each], index) => {
      if (name.length > longestName && !shortensNames) problem = "the name of a field is too long";
      return [shortName(shown(name), index), copy(each, depth + 1, texts)] as const;
    });
    return Object.fromEntries(entries);
  };
  const json = copy(parsed, 0, 0);
  return problem === undefined ? { json } : { json: undefined, problem };
}

const tooLarge = "the response is too large";

/**
 * Shortens a field name that is too long, e.g. because it is a whole error message. Appends the number of the field, so
 * that two such names stay distinct.
 */
function shortName(name: string, index: number): string {
  return name.length <= longestName ? name : `${name.slice(0, longestName)} … (field ${index}, shortened)`;
}

/** The tokens per node: a name, a value and a comma. */
const tokensOfNode = 3;

/**
 * Whether a text has few enough nodes. Checked before parsing, because parsing 80 MB of `{},` would take gigabytes and
 * block the process for a minute.
 */
function hasFewTokens(text: string): boolean {
  let tokens = 0;
  for (const { mark } of tokensOf(text)) if (/["[{,]/.test(mark) && ++tokens > tokensOfNode * mostNodes) return false;
  return true;
}

function parseJson(text: string): unknown {
  const exact = /\d{16}|\de\+?\d\d|NaN|Infinity/i.test(text) ? withTextNumbers(text) : text;
  try {
    return JSON.parse(exact) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Whether an object in a JSON text has a duplicate key, e.g. `{"noul": 0.1, "n\u006ful": 0.9}`: `JSON.parse` would keep
 * only the last value. The text is valid JSON, so a string before a colon is a key.
 */
function hasNameTwice(text: string): boolean {
  const namesAround: Set<string>[] = [];
  for (const { mark, start, end } of tokensOf(text)) {
    if (mark === "{") namesAround.push(new Set());
    if (mark === "}") namesAround.pop();
    let next = end;
    while (/\s/.test(text.charAt(next))) next++;
    if (mark !== '"' || text[next] !== ":") continue;
    const written = text.slice(start, end);
    const name = written.includes("\\") ? (JSON.parse(written) as string) : written.slice(1, -1);
    if (namesAround.at(-1)?.has(name)) return true;
    namesAround.at(-1)?.add(name);
  }
  return false;
}

/**
 * Puts long numbers in quotes, because a number can't hold all digits of an id with 19 digits. Replaces `NaN` by null.
 */
function withTextNumbers(text: string): string {
  let exact = "";
  let from = 0;
  for (const { mark, start, end } of tokensOf(text)) {
    const isNumber = /\d/.test(mark);
    if (isNumber ? !/^-?(\d{16,}|[\d.]+e\+?\d{2,})$/i.test(mark) : !/[NI]/.test(mark)) continue;
    exact += text.slice(from, start) + (isNumber ? `"${mark}"` : "null");
    from = end;
  }
  return exact + text.slice(from);
}

/** The punctuation, numbers and strings of a JSON text. The `mark` of a string is its first quotation mark. */
function* tokensOf(text: string): Generator<{ mark: string; start: number; end: number }> {
  const token = /["{}[,]|-?\d[\d.eE+-]*|NaN|-?Infinity/g;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [mark] = match;
    if (mark === '"') token.lastIndex = endOfText(text, match.index);
    yield { mark, start: match.index, end: token.lastIndex };
  }
}

/**
 * The offset after the closing quotation mark of the string at `start`. Not a regular expression, because the string
 * may be a large picture.
 */
function endOfText(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text[at - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
  return text.length;
}
