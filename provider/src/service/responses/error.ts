import { isKnownCode, isSuccessValue } from "./codes";
import { type Field, fieldsWhere, nameOf } from "./forms";
import { longestText, mostSearched } from "./json";
import { isNamed, plain } from "./names";

export interface ErrorFields {
  code?: string | undefined;
  message?: string | undefined;
}

/**
 * The code and the message of an error: `{code, message}`, at the top level or in one object of any name, e.g. in
 * `error`, where `type` may stand for the code. A field `error` may also be the message itself. The fields of an object
 * `error` take precedence over others, and known codes over unknown ones. A message is never searched for a code.
 */
export function errorFields(json: unknown): ErrorFields {
  const fields = fieldsWhere(json, (name) => isNamed(name, "code", "message", "error") || plain(name) === "type")
    .map((field) => ({ ...field, text: textOf(field) }))
    .filter(({ text }) => text !== "" && !isSuccessValue(text))
    .slice(0, mostSearched);
  const ordered = [...fields.filter(isInError), ...fields.filter((field) => !isInError(field))];
  const isType = (field: Field & { text: string }) =>
    plain(nameOf(field)) === "type" && isInError(field) && isCode(field.text);
  const codes = [...ordered.filter((field) => isNamed(nameOf(field), "code")), ...ordered.filter(isType)];
  const named = codes.map(({ text }) => text).filter((text) => !/^-?\d+$/.test(text));
  const code = named.find(isKnownCode) ?? named[0] ?? codes[0]?.text;
  const messages = ordered.filter((field) => isNamed(nameOf(field), "message", "error")).map(({ text }) => text);
  return { code, message: [...new Set(messages)].slice(0, 3).join("; ") || undefined };
}

const isInError = ({ path }: Field) => path.length > 1 && isNamed(path[0] ?? "", "error");

/** The text or number of a field. Empty for any other value. */
const textOf = ({ value }: Field) =>
  typeof value === "string" || typeof value === "number" ? String(value).trim().slice(0, longestText) : "";

/** The code that a text consists of, or begins with: `Audio.PreprocessError: the text differs`. */
export function codeIn(text: string): string | undefined {
  const [, first = ""] = /^\s*([\w.-]{1,100})\s*(?:[:：]|$)/.exec(text.slice(0, longestText)) ?? [];
  return isCode(first) ? first : undefined;
}

/** Whether a text looks like a code and not like a word or sentence: it consists of at least two joined words. */
function isCode(text: string): boolean {
  return (
    /^[A-Za-z][A-Za-z0-9]*([._-][A-Za-z0-9]+)+$|^[A-Z][a-z0-9]+([A-Z][a-z0-9]*)+$/.test(text) && text.length <= 100
  );
}
