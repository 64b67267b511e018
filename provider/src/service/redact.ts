import { InputError } from "../errors";
import { isRecord } from "../rules/is-record";
import { invisible, visible } from "../rules/visible";
import { isListedCode } from "./responses/codes";
import { plain } from "./responses/names";

/** Protects logs and states against a service that sends reasons without end. */
const maxReasonLength = 4000;
/** The bound of a code, request id or task state. */
const maxWordLength = 200;

/** Replaces a reason from the service that may quote a secret input. */
export const hiddenReason = "the service's reason is not shown, because it may quote a secret input";
export const hiddenId = "[hidden]";

/** The service's reason as logs and states may have it. `secret`: whether an input is secret, or may be. */
export function shownReason(reason: string, apiKey: string, secret: boolean): string {
  return secret ? hiddenReason : redactReason(reason, apiKey);
}

/** Prepares a reason for an error message: without the API key and audio data, and with control characters escaped. */
export function redactReason(reason: string, apiKey: string, most = maxReasonLength): string {
  // Shorten before escaping (a million characters take 90 ms) and after it (escaping lengthens the text).
  const withoutSecrets = keyRemover(apiKey)(reason)
    .replaceAll(apiKey, "[key]")
    .replace(linesOfBase64, "[…]")
    .replace(/data:[^\s"']*;\s*base64,\s*[^\s"']*|data:[^\s"']{40,}/g, "data:[…]")
    .replace(/[A-Za-z0-9+/_-]{200,}={0,2}/g, "[…]")
    .replace(rowsOfBytes, "[…]");
  return shorten(visible(shorten(withoutSecrets, most)), most);
}

/**
 * A recording that the service repeats: as base64 in wrapped lines, or as numbers. The lookbehind keeps the search
 * linear: a match starts only where a run of base64 starts.
 */
const linesOfBase64 = /(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/_-]{60,}(?:\\[nr]|\s)+)+[A-Za-z0-9+/_-]{20,}={0,2}/g;
const rowsOfBytes = /(?:\\x[0-9a-f]{2}|\b[0-9a-f]{2}[\s:]|\b\d{1,3},\s?){40,}/gi;

/** Escapes an id reversibly: {@link sentAsId} restores what the service sent. */
export function shownAsId(id: string): string {
  return visible(id.replace(/⏎|\\(?=u\{)/g, (mark) => `\\u{${mark.charCodeAt(0).toString(16)}}`));
}

/**
 * Returns the id as the service sent it. Throws for a text that {@link shownAsId} would not return: somebody may have
 * edited the state, and two spellings of one id would count as two ids.
 */
export function sentAsId(shown: string): string {
  const id = invisible(shown);
  if (shownAsId(id) === shown && id.trim() !== "") return id;
  throw new InputError(`the id ${visible(shown)} is not written as this package writes it (${shownAsId(id)})`, {
    advice: "Somebody may have changed the state. Nothing was sent. Restore the state from a backup.",
  });
}

/** A request id for messages. If an input is secret, hides the id, unless it looks like an id and quotes no input. */
export function shownId(id: string, apiKey: string, { secret = false, inputs = [] }: Secrecy): string {
  const quotes = (input: string) => input.length > 3 && id.toLowerCase().includes(input.toLowerCase());
  return secret && (!/^[\w.:-]{1,100}$/.test(id) || inputs.some(quotes))
    ? hiddenId
    : redactReason(id, apiKey, maxWordLength);
}

/** A code for messages. If an input is secret, only listed codes are shown: any other may quote the input. */
export function shownCode(code: string, apiKey: string, { secret }: Secrecy): string {
  return secret && !isListedCode(code) ? hiddenId : redactReason(code, apiKey, maxWordLength);
}

/** A task's state for messages. If an input is secret, only known states are shown. */
export function shownStatus(status: string, apiKey: string, { secret }: Secrecy): string {
  return secret && !knownStatuses.has(plain(status)) ? hiddenId : redactReason(status, apiKey, maxWordLength);
}

export interface Secrecy {
  /** Whether an input of the request is secret, or may be. Then no message repeats texts of the service. */
  secret?: boolean | undefined;
  /** The texts of the request that the service may quote, if they are known. */
  inputs?: readonly string[] | undefined;
}

export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isRecord(value) ? Object.entries(value).flatMap(([key, each]) => [key, ...textsIn(each)]) : [];
}

const knownStatuses = new Set(
  `pending queued queueing waiting scheduled submitted created accepted running processing inprogress started suspended
  paused succeeded success failed canceled cancelled unknown expired timeout`.split(/\s+/),
);

/** The bound of a text that is searched. A longer text is a picture, of which messages show only both ends. */
const mostSearched = 2 ** 20;
/** A shorter API key is not searched for: it may be a part of any word, and no service issues such keys. */
const shortestKey = 16;

/**
 * Removes the API key from texts of the service. A text that contains the key in another form (escaped, encoded or with
 * white space inside) is replaced as a whole, because it is not known where that form begins and ends.
 */
export function keyRemover(apiKey: string): (text: string) => string {
  if (apiKey.length < shortestKey) return (text) => text;
  const spellings = [apiKey, Buffer.from(apiKey).toString("hex"), ...[0, 1, 2].map((at) => base64Inside(apiKey, at))];
  const folded = spellings.map(fold);
  return (text) => {
    // Every spelling is at least as long as the key.
    if (text.length < apiKey.length) return text;
    const shown = text.replaceAll(apiKey, "[key]");
    const plain = fold(shorten(shown, mostSearched));
    return folded.some((spelling) => plain.includes(spelling)) ? "[key]" : shown;
  };
}

/** How many layers of escapes are removed. */
const mostEncodings = 3;

/** A text without escapes and white space, in lower case, with one alphabet of base64. */
function fold(text: string): string {
  let plain = text;
  for (let times = 0; times < mostEncodings && /[%\\]/.test(plain); times++)
    plain = plain
      .replace(/\\+/g, "\\")
      .replace(/%([0-9a-f]{2})|\\u([0-9a-f]{4})/gi, (_, byte?: string, unit?: string) =>
        String.fromCharCode(parseInt(byte ?? unit ?? "", 16)),
      );
  return plain
    .replace(/\\[nrtbf]|[\s\\\p{C}]/gu, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .toLowerCase();
}

/** The base64 of a text as it appears when the text is embedded `behind` bytes after the start of a base64 group. */
function base64Inside(text: string, behind: number): string {
  const bytes = Buffer.concat([Buffer.alloc(behind), Buffer.from(text)]);
  return bytes.toString("base64").slice(Math.ceil((behind * 4) / 3), Math.floor((bytes.length * 4) / 3));
}

function shorten(text: string, most: number): string {
  const half = most / 2;
  return text.length <= most ? text : `${text.slice(0, half)} … ${text.slice(-half)}`;
}
