import type { Fields } from "./fields";

/** The forms of `gmt_create`, of error bodies and of the details of a failed task. Each has a name, which a dialect draws. */

type Words = readonly [string, string, string];

/** A creation time, from its ISO form with milliseconds. Undefined: the field is absent. */
export const gmtForms = {
  space: (iso) => `${iso.slice(0, 10)} ${iso.slice(11, 19)}`,
  iso: (iso) => iso,
  "iso without ms": (iso) => `${iso.slice(0, 19)}Z`,
  "iso without zone": (iso) => iso.slice(0, 19),
  "iso with an offset": (iso) => `${new Date(Date.parse(iso) + 8 * 3_600_000).toISOString().slice(0, 19)}+08:00`,
  "rfc 1123": (iso) => new Date(iso).toUTCString(),
  "14 digits": (iso) => iso.replace(/\D/g, "").slice(0, 14),
  "17 digits": (iso) => iso.replace(/\D/g, ""),
  slashes: (iso) => `${iso.slice(0, 10).replaceAll("-", "/")} ${iso.slice(11, 19)}`,
  date: (iso) => iso.slice(0, 10),
  seconds: (iso) => Math.floor(Date.parse(iso) / 1000),
  milliseconds: (iso) => Date.parse(iso),
  "seconds as text": (iso) => String(Math.floor(Date.parse(iso) / 1000)),
  "milliseconds as text": (iso) => String(Date.parse(iso)),
  "a form that nobody knows": (iso) => `day ${iso.slice(8, 10)} of ${iso.slice(0, 7)}`,
  empty: () => "",
  null: () => null,
  absent: () => undefined,
} satisfies Record<string, (iso: string) => unknown>;
export type GmtForm = keyof typeof gmtForms;

/** The body of an error: an object, or a text of the given type. Each form has the code somewhere. */
type ErrorBody = { fields: Fields } | { text: string; type: "text/plain" | "text/html" };
export const errorForms = {
  "code and message": (code, message) => ({ fields: { code, message } }),
  "error object": (code, message) => ({
    fields: { error: { message, type: "invalid_request_error", param: null, code } },
  }),
  "error text": (code, message) => ({ fields: { error: `${code}: ${message}` } }),
  "errors array": (code, message) => ({ fields: { errors: [{ code, message }] } }),
  detail: (code, message) => ({ fields: { detail: `${message} (${code})` } }),
  "detail object": (code, message) => ({ fields: { detail: { code, message } } }),
  "snake case": (code, message) => ({ fields: { error_code: code, error_msg: message } }),
  "camel case": (code, message) => ({ fields: { errorCode: code, errorMessage: message } }),
  "a word": (code, message, [word]) => ({ fields: { [word]: { code, message } } }),
  "status object": (code, message) => ({ fields: { base_resp: { status_code: code, status_msg: message } } }),
  "the code as a key": (code, message) => ({ fields: { [code]: message } }),
  "codes as keys": (code, message) => ({ fields: { errors: { [code]: [message] } } }),
  "plain text": (code, message) => ({ text: `${code}: ${message}`, type: "text/plain" }),
  html: (code, message) => ({
    text: `<html><body><h1>${escaped(code)}</h1><p>${escaped(message)}</p></body></html>`,
    type: "text/html",
  }),
} satisfies Record<string, (code: string | number, message: string, words: Words) => ErrorBody>;
export type ErrorForm = keyof typeof errorForms;

/** Why a task failed. The interface description promises the state only. */
export const failureForms = {
  "code and message": (code, message) => ({ code, message }),
  "error object": (code, message) => ({ error: { code, message } }),
  "error text": (code, message) => ({ error: `${code}: ${message}` }),
  "failure reason": (code, message) => ({ failure_reason: message, failure_code: code }),
  "camel case": (code, message) => ({ errorCode: code, errorMessage: message }),
  "code as a key": (code, message) => ({ error: { [code]: message } }),
  words: (code, message, [first, second]) => ({ [first]: code, [second]: message }),
  nothing: () => ({}),
} satisfies Record<string, (code: string, message: string, words: Words) => Fields>;
export type FailureForm = keyof typeof failureForms;

function escaped(text: string | number): string {
  return String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
