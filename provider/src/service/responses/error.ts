import { isRecord } from "../../rules/is-record";
import { isKnownCode, isSuccessValue } from "./codes";
import { longestText, mostOfList, mostSearched } from "./json";
import { isNamed, plain } from "./names";

export interface ErrorFields {
  code?: string | undefined;
  message?: string | undefined;
}

interface Leaf {
  name: string;
  text: string;
  inError: boolean;
}

/**
 * Finds the code and the message of an error. The code is the value of a field such as `code`, or a code of the table
 * that is a field's name or part of a message. With `everywhere`, the code may be in any text. Texts inside an object
 * that describes an error take precedence.
 */
export function errorFields(json: unknown, everywhere = false): ErrorFields {
  const leaves = textsOf(json, everywhere).filter(({ text }) => !isSuccessValue(text));
  const ordered = [...leaves.filter(({ inError }) => inError), ...leaves.filter(({ inError }) => !inError)];
  const texts = ordered.filter(
    ({ name, inError }) => isNamed(name, "message") || (inError && (name === "" || isNamed(name, "error"))),
  );
  const kinds = ordered.filter(
    ({ name, text, inError }) => inError && /^((error)?type|status|name|title)$/.test(plain(name)) && isCode(text),
  );
  const given = [...ordered.filter(({ name }) => isNamed(name, "code")), ...kinds].map(({ text }) => text);
  const inTexts = (everywhere ? [...texts, ...leaves] : texts).flatMap(({ text }) => codeIn(text) ?? []);
  const named = given.filter((text) => !/^-?\d+$/.test(text));
  const code = named.find(isKnownCode) ?? inTexts.find(isKnownCode) ?? named[0] ?? inTexts[0] ?? given[0];
  const said = [...new Set(texts.map(({ text }) => text))].filter((text) => text !== code && text !== given[0]);
  const message = said
    .slice(0, 3)
    .map((text) => withoutCode(text, code))
    .join("; ");
  return { code, message: message === "" ? undefined : message };
}

/** Finds the code in `Audio.PreprocessError: the text differs` or `the text differs (Audio.PreprocessError)`. */
export function codeIn(text: string): string | undefined {
  const words = text.slice(0, longestText).match(/[A-Za-z][\w.-]*\w/g) ?? [];
  const known = words.find((word) => /[a-z][A-Z]|\w[._]\w/.test(word) && isKnownCode(word));
  const [, first] = /^\s*[[("']?([\w.-]+)[\])"']?\s*[:：–—-]/.exec(text.slice(0, longestText)) ?? [];
  const [, last] = /\(([\w.-]{3,100})\)\W*$/.exec(text.slice(-200)) ?? [];
  return known ?? [first, last, text.trim()].find((word) => word !== undefined && isCode(word));
}

const withoutCode = (text: string, code = "") =>
  (code !== "" && text.startsWith(code) ? text.slice(code.length).replace(/^\s*[:：–—-]\s*/, "") : text) || text;

/** Whether a text looks like a code and not like a word or sentence: it consists of at least two joined words. */
function isCode(text: string): boolean {
  return (
    /^[A-Za-z][A-Za-z0-9]*([._-][A-Za-z0-9]+)+$|^[A-Z][a-z0-9]+([A-Z][a-z0-9]*)+$/.test(text) && text.length <= 100
  );
}

/** The texts and numbers of a response, outermost first. Skips voices, and fields that repeat the request. */
function textsOf(json: unknown, everywhere: boolean): Leaf[] {
  const leaves: Leaf[] = [];
  let level = [{ name: "", value: json, inError: Array.isArray(json) }];
  while (level.length > 0 && leaves.length < mostSearched) {
    const next: typeof level = [];
    for (const { name, value, inError } of level) {
      const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
      if (text !== "") leaves.push({ name, text: text.slice(0, longestText), inError });
      else if (Array.isArray(value) && (inError || everywhere))
        next.push(...value.slice(0, mostOfList).map((inner: unknown) => ({ name, value: inner, inError })));
      else if (isRecord(value) && typeof value.voice !== "string")
        for (const [key, inner] of Object.entries(value).slice(0, mostSearched)) {
          if (isNamed(key, "echo") && !inError) continue;
          // The code may be the field's name: `{"Audio.PreprocessError": "the text differs"}`.
          const isCoded = isKnownCode(key) && /[a-z][A-Z]|\w[._]\w/.test(key);
          if (isCoded) leaves.push({ name: "code", text: key, inError: true });
          const isError = inError || isCoded || isNamed(key, "error") || /^details?$/.test(plain(key));
          next.push({ name: isCoded ? "message" : key, value: inner, inError: isError });
        }
    }
    level = next.slice(0, mostSearched);
  }
  return leaves;
}
