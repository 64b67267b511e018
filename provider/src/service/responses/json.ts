import { isRecord } from "../../rules/values";

/*
 * The bounds on reading a response. All responses of the service are far below them: a page of 1,000 voices has 4,000
 * nodes. Searching 100,000 nodes takes half a second.
 */

const mostNodes = 100_000;
const deepest = 64;
/** Longer than any known field name, which may be an id. Bounded: each path through the field contains the name. */
const longestName = 10_000;
/** A longer id is an error. An id is never shortened, because it is sent back to the service. */
export const maxIdLength = 4000;
export const longestUrl = 16_384;
export const mostImages = 1000;
/** The bounds on reading an error: its fields, and the characters of each. */
export const mostSearched = 500;
export const longestText = 5000;
/** The most characters that a state or an error keeps. Without pictures, responses are far shorter. */
export const mostOfCopy = 200_000;
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
 * `shown` replaces secrets in each name and text.
 *
 * The depth, size and names of the result are bounded, so readers need no bounds of their own against a hostile
 * response. A field name that is too long is a problem, and is not shortened, because it may be the id of a voice or a
 * question.
 */
export function parseBody(
  body: string,
  shown: (text: string) => string = (text) => text,
): { json: unknown; problem?: string } {
  const whole = parseJson(body.replace(/^\uFEFF/, ""));
  let { problem } = whole;
  let nodes = 0;
  const copy = (value: unknown, depth: number): unknown => {
    if (++nodes > mostNodes || depth > deepest) {
      problem = depth > deepest ? `the response is nested deeper than ${deepest} levels` : tooLarge;
      return undefined;
    }
    if (typeof value === "string") return shown(value);
    if (Array.isArray(value)) return value.map((each) => copy(each, depth + 1));
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).map(([name, each]) => {
      if (name.length > longestName) problem = "the name of a field is too long";
      return [shown(name), copy(each, depth + 1)] as const;
    });
    return Object.fromEntries(entries);
  };
  const json = copy(whole.json, 0);
  return problem === undefined ? { json } : { json: undefined, problem };
}

const tooLarge = "the response is too large";

/**
 * Parses a JSON text with at most `mostNodes` nodes, which are counted first: to parse 80 MB of `{},` would take
 * gigabytes and block the process for a minute. Puts long numbers in quotes, because a number can't hold all digits of
 * an id with 19 digits, and replaces `NaN` by null. An object with a duplicate key is a problem: `JSON.parse` would keep
 * only the last value of `{"noul": 0.1, "n\u006ful": 0.9}`.
 */
function parseJson(text: string): { json?: unknown; problem?: string | undefined } {
  const namesAround: Set<string>[] = [];
  let [exact, from, tokens, isTwice] = ["", 0, 0, false];
  try {
    for (const { mark, start, end } of tokensOf(text)) {
      // A node has up to three tokens: a name, a value and a comma.
      if (/["[{,]/.test(mark) && ++tokens > 3 * mostNodes) return { problem: tooLarge };
      if (mark === "{") namesAround.push(new Set());
      if (mark === "}") namesAround.pop();
      if (mark === '"') {
        const name = keyAt(text, start, end);
        isTwice ||= name !== undefined && namesAround.at(-1)?.has(name) === true;
        if (name !== undefined) namesAround.at(-1)?.add(name);
      }
      const isNumber = /\d/.test(mark);
      if (isNumber ? !/^-?(\d{16,}|[\d.]+e\+?\d{2,})$/i.test(mark) : !/[NI]/.test(mark)) continue;
      exact += text.slice(from, start) + (isNumber ? `"${mark}"` : "null");
      from = end;
    }
    const json = JSON.parse(exact + text.slice(from)) as unknown;
    return isTwice ? { problem: "an object in the response has a duplicate key" } : { json };
  } catch {
    return { problem: "the response is not JSON, or it was cut short" };
  }
}

/** The string as a key. Undefined if no colon follows. */
function keyAt(text: string, start: number, end: number): string | undefined {
  let next = end;
  while (/\s/.test(text.charAt(next))) next++;
  if (text[next] !== ":") return undefined;
  const written = text.slice(start, end);
  return written.includes("\\") ? (JSON.parse(written) as string) : written.slice(1, -1);
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
