import { isRecord } from "../rules/is-record";
import { secretText } from "../rules/rights";
import { textsIn } from "../service/redact";

/** A shorter value may be a part of any word. */
const shortest = 8;
/** A shortened text keeps fewer characters than this. */
const longestCut = 250;

/**
 * Fields whose values are this package's own words. Reviews and exit codes depend on them, so they are never replaced.
 * Nor are the names of fields.
 */
const fieldsOfWords = new Set(["kind", "action", "check", "found"]);

/**
 * Returns a function that replaces these values in everything that is published: a program may print its key, or use it
 * in an input. A secret that a program has encoded in its own way is not found.
 */
export function secretsHidden(values: readonly string[]): <T>(value: T) => T {
  const forms = [...new Set(values.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  const hide = (text: string) =>
    forms.reduce((hidden, form) => withoutCut(hidden.replaceAll(form, secretText), form), text);
  const hideIn = (value: unknown): unknown => {
    if (typeof value === "string") return hide(value);
    if (Array.isArray(value)) return value.map(hideIn);
    if (!isRecord(value)) return value;
    const shown = (name: string, each: unknown) => (fieldsOfWords.has(name) ? each : hideIn(each));
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shown(name, each)]));
  };
  return <T>(value: T) => hideIn(value) as T;
}

/**
 * npm sets these from `.npmrc` and `package.json`. A change under review contains both files, and could hide any text
 * of its review with them.
 */
const ofFiles = /^npm_(config|package)_(?!_)\w*$/i;

/** The values of variables that have the name of a secret. */
export function secretsIn(environment: NodeJS.ProcessEnv): string[] {
  const isSecret = (name: string) => /key|token|secret|pass|credential/i.test(name) && !ofFiles.test(name);
  const named = Object.entries(environment).filter(([name]) => isSecret(name));
  return named.flatMap(([, value]) => value ?? []);
}

/** A value of the configuration, or the texts in it if it is an object. */
export function secretTexts(value: string): string[] {
  try {
    return [value, ...textsIn(JSON.parse(value))];
  } catch {
    return [value];
  }
}

/** The value, each of its lines, and their encodings. */
function formsOf(value: string): string[] {
  const texts = [value.trim().replace(/\s+/g, " "), ...value.split("\n").map((line) => line.trim())];
  return texts
    .filter((text) => text.length >= shortest)
    .flatMap((text) => {
      const bytes = Buffer.from(text);
      const base64 = bytes.toString("base64").replace(/(?<!=)=+$/, "");
      const inJson = JSON.stringify(text).slice(1, -1);
      return [text, inJson, encodeURIComponent(text), base64, bytes.toString("base64url"), bytes.toString("hex")];
    });
}

/** Hides the visible part of a secret in a shortened text, where `…` replaces the other part. */
function withoutCut(text: string, form: string): string {
  if (!text.includes("…")) return text;
  let hidden = text;
  for (let length = Math.min(form.length - 1, longestCut); length >= shortest; length--)
    hidden = hidden
      .replaceAll(`${form.slice(0, length)}…`, `${secretText}…`)
      .replaceAll(`…${form.slice(-length)}`, `…${secretText}`);
  return hidden;
}
