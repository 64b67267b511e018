import { InputError } from "../errors";
import { isRecord } from "../rules/values";
import { invisible, visible } from "../rules/visible";
import { isListedCode } from "./responses/codes";
import { plain } from "./responses/names";

/** The most characters of a reason that logs and states get. The service may send a reason of any length. */
const maxReasonLength = 4000;
/** The most characters of a code, a request id or a task's state. */
const maxWordLength = 200;

/** Shown instead of the service's reason if the reason may quote a secret input. */
export const hiddenReason = "the service's reason is not shown, because it may quote a secret input";
export const hiddenId = "[hidden]";

/** The service's reason for logs and states. `secret`: whether an input is secret or may be. */
export function shownReason(reason: string, apiKey: string, secret: boolean): string {
  return secret ? hiddenReason : redactReason(reason, apiKey);
}

/** The reason without the API key, audio data and control characters. */
export function redactReason(reason: string, apiKey: string, most = maxReasonLength): string {
  // Shorten before escaping, because a million characters take 90 ms, and after it, because it lengthens the text.
  const withoutSecrets = keyRemover(apiKey)(reason)
    .replaceAll(apiKey, "[key]")
    .replace(linesOfBase64, "[…]")
    .replace(/data:[^\s"']*;\s*base64,\s*[^\s"']*|data:[^\s"']{40,}/g, "data:[…]")
    .replace(/[A-Za-z0-9+/_-]{200,}={0,2}/g, "[…]")
    .replace(rowsOfBytes, "[…]");
  return shorten(visible(shorten(withoutSecrets, most)), most);
}

/**
 * Matches a recording that the service quotes as base64 in several lines. `rowsOfBytes` matches a recording
 * that is quoted as numbers. The lookbehind keeps the search linear: a match can start only where a run of base64 characters starts.
 */
const linesOfBase64 = /(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/_-]{60,}(?:\\[nr]|\s)+)+[A-Za-z0-9+/_-]{20,}={0,2}/g;
const rowsOfBytes = /(?:\\x[0-9a-f]{2}|\b[0-9a-f]{2}[\s:]|\b\d{1,3},\s?){40,}/gi;

/** Escapes an id in a reversible way: {@link sentAsId} returns the id that the service sent. */
export function shownAsId(id: string): string {
  return visible(id.replace(/⏎|\\(?=u\{)/g, (mark) => `\\u{${mark.charCodeAt(0).toString(16)}}`));
}

/**
 * Returns the id as the service sent it. Throws if {@link shownAsId} does not write the id in this way: somebody may
 * have edited the state, and two spellings of an id would count as two ids.
 */
export function sentAsId(shown: string): string {
  const id = invisible(shown);
  if (shownAsId(id) === shown && id.trim() !== "") return id;
  throw new InputError(`the id ${visible(shown)} is not written as pulumi-cloudvoice writes it (${shownAsId(id)})`, {
    advice: "Somebody may have changed the state. Nothing was sent. Restore the state from a backup.",
  });
}

/** A request id for messages. If an input is secret, hides an id that looks unusual or quotes an input. */
export function shownId(id: string, apiKey: string, { secret = false, inputs = [] }: Secrecy): string {
  const quotes = (input: string) => input.length > 3 && id.toLowerCase().includes(input.toLowerCase());
  return secret && (!/^[\w.:-]{1,100}$/.test(id) || inputs.some(quotes))
    ? hiddenId
    : redactReason(id, apiKey, maxWordLength);
}

/** A code for messages. If an input is secret, shows only codes of the table: any other code may quote the input. */
export function shownCode(code: string, apiKey: string, { secret }: Secrecy): string {
  return secret && !isListedCode(code) ? hiddenId : redactReason(code, apiKey, maxWordLength);
}

/** A task's state for messages. If an input is secret, shows only the states in `knownStatuses`. */
export function shownStatus(status: string, apiKey: string, { secret }: Secrecy): string {
  return secret && !knownStatuses.has(plain(status)) ? hiddenId : redactReason(status, apiKey, maxWordLength);
}

export interface Secrecy {
  /** Whether an input of the request is secret, or may be. If it is, messages do not quote the service. */
  secret?: boolean | undefined;
  /** The texts of the request that the service may quote. Undefined if they are not known. */
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

/**
 * Of a longer text, only the two ends are searched for other spellings of the key. A text of this length is a picture,
 * and messages show only its ends.
 */
const mostSearched = 2 ** 20;
/** A shorter API key is not searched for, because it may be part of any word. No service issues such short keys. */
const shortestKey = 16;

/**
 * Returns a function that removes the API key from a text of the service. If the text contains the key in another form
 * (escaped, encoded, or with white space inside), the whole text is replaced: it is unknown where that form ends.
 */
export function keyRemover(apiKey: string): (text: string) => string {
  if (apiKey.length < shortestKey) return (text) => text;
  const spellings = [apiKey, Buffer.from(apiKey).toString("hex"), ...[0, 1, 2].map((at) => base64Inside(apiKey, at))];
  const folded = spellings.map(fold);
  return (text) => {
    // A text that is shorter than the key can't contain it: no spelling of the key is shorter than the key.
    if (text.length < apiKey.length) return text;
    const shown = text.replaceAll(apiKey, "[key]");
    const plain = fold(shorten(shown, mostSearched));
    return folded.some((spelling) => plain.includes(spelling)) ? "[key]" : shown;
  };
}

/** Normalises a text for the search for a key: removes escapes and white space, unifies case and base64 alphabets. */
function fold(text: string): string {
  let plain = text;
  const mostEscapes = 3;
  for (let times = 0; times < mostEscapes && /[%\\]/.test(plain); times++)
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

/**
 * The characters of base64 that depend on `text` alone, if `behind` bytes precede it in its first group of three bytes.
 */
function base64Inside(text: string, behind: number): string {
  const bytes = Buffer.concat([Buffer.alloc(behind), Buffer.from(text)]);
  return bytes.toString("base64").slice(Math.ceil((behind * 4) / 3), Math.floor((bytes.length * 4) / 3));
}

function shorten(text: string, most: number): string {
  const half = most / 2;
  return text.length <= most ? text : `${text.slice(0, half)} … ${text.slice(-half)}`;
}
