import { isRecord } from "../../rules/is-record";

/*
 * The bounds on what is read of a response. All of them are far more than any response of the service needs: a page of
 * 1,000 voices has 4,000 nodes, and to search 100,000 takes half a second.
 */

const mostNodes = 100_000;
const deepest = 64;
/** A longer name is no known field, but it may be an id. Each path through such a name would be as long. */
const longestName = 10_000;
/** How deep JSON texts may be nested in JSON texts. */
const deepestText = 3;
/** Ids are kept whole up to this length, because they are sent back. */
export const maxIdLength = 4000;
export const longestUrl = 16_384;
export const mostImages = 1000;
/** The bounds on the texts of an error: how many are read in total and of one list, and the characters of each. */
export const mostSearched = 500;
export const mostOfList = 20;
export const longestText = 5000;
/** How many forms are proposed for a response and tried. */
export const mostProposals = 20;
/** The characters of a response that a state or an error keeps. More than any response with addresses has. */
export const mostKept = 200_000;
/** The length of the word by which a row says that its voice is unusable. */
export const mostOfWord = 200;
/**
 * The bounds of a message about a response that is not understood: its characters, those of each text, the number of
 * field names, and the characters of each name.
 */
export const mostShown = 1000;
export const mostOfText = 100;
export const mostNames = 20;
export const mostOfName = 40;
/** The part of a gateway's page that is read. */
export const longestPage = 20_000;

/** The JSON of a body, ready to be read, or why there is none. */
export interface ParsedBody {
  json: unknown;
  problem?: string;
}

/**
 * Parses a body so that all readers see the same. Whole numbers keep all their digits (as texts, from 16 digits on),
 * `NaN` becomes null, JSON inside a text is parsed, and `shown` replaces secrets in each name and text. Depth, size and
 * names of the result are bounded, so that no reader needs a bound of its own against a hostile response. A name that
 * is too long is a problem: it may be the id of a voice or of a question. With `shortensNames`, for the look-up of a
 * task, such a name is shortened.
 */
export function parseBody(
  body: string,
  shown: (text: string) => string = (text) => text,
  { shortensNames = false } = {},
): ParsedBody {
  const text = body.replace(/^\uFEFF/, "");
  if (!hasFewTokens(text)) return { json: undefined, problem: tooLarge };
  const parsed = parseJson(text);
  if (parsed !== undefined && hasNameTwice(text))
    return { json: undefined, problem: "an object of the response has one name twice" };
  if (parsed === undefined) return { json: undefined, problem: "the response is not JSON, or it was cut short" };
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
 * Shortens a field name that may be a whole error message. Appends the field's number, so that two long names stay
 * distinct.
 */
function shortName(name: string, index: number): string {
  return name.length <= longestName ? name : `${name.slice(0, longestName)} … (field ${index}, shortened)`;
}

/** A name, a value and a comma per node. */
const tokensOfNode = 3;

/**
 * Whether a text has few enough nodes to be read. Checked before parsing: 80 MB of `{},` would take gigabytes and block
 * the process for a minute.
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
 * Whether an object of a JSON text has one name twice, e.g. `{"noul": 0.1, "n\u006ful": 0.9}`. `JSON.parse` would keep the
 * last value. The text is known to be JSON, so a text before a colon is a name.
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

/** Puts long numbers in quotes, as they came: as a number, an id of 19 digits would lose its last digits. */
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

/** The marks, numbers and texts of a JSON text, in their order. The mark of a text is its first quotation mark. */
function* tokensOf(text: string): Generator<{ mark: string; start: number; end: number }> {
  const token = /["{}[,]|-?\d[\d.eE+-]*|NaN|-?Infinity/g;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [mark] = match;
    if (mark === '"') token.lastIndex = endOfText(text, match.index);
    yield { mark, start: match.index, end: token.lastIndex };
  }
}

/** The offset behind the quotation mark that ends the text at `start`. The text may be a large picture. */
function endOfText(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text[at - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
  return text.length;
}
