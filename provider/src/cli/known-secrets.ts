import { isRecord } from "../rules/values";
import { secretText } from "../rules/rights";

/** Shorter secrets are not hidden, because they occur in ordinary words. */
const shortestSecret = 8;
/** The longest part of a secret that is looked for next to the `…` of a shortened text. */
const longestCut = 250;

/** Fields of JSON whose values are keywords, e.g. `create`. The values are never hidden: scripts depend on them. */
const keywordFields = new Set(["kind", "action", "check", "found"]);

/**
 * Returns a function that hides these secrets in all texts of a value before it is published: a program may print the
 * API key, or use the key in an input. The function misses a secret in an encoding that `encodingsOf` does not list.
 */
export function secretsHidden(values: readonly string[]): <T>(value: T) => T {
  const encodings = [...new Set(values.flatMap(encodingsOf))].sort((a, b) => b.length - a.length);
  const hide = (text: string) =>
    encodings.reduce((hidden, encoding) => withoutCut(hidden.replaceAll(encoding, secretText), encoding), text);
  const hideIn = (value: unknown): unknown => {
    if (typeof value === "string") return hide(value);
    if (Array.isArray(value)) return value.map(hideIn);
    if (!isRecord(value)) return value;
    const shown = (name: string, each: unknown) => (keywordFields.has(name) ? each : hideIn(each));
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shown(name, each)]));
  };
  return <T>(value: T) => hideIn(value) as T;
}

/**
 * npm sets these variables from `.npmrc` and `package.json`. They do not count as secrets: a change could use them to
 * hide texts in its own review.
 */
const npmVariables = /^npm_(config|package)_(?!_)\w*$/i;

/** The values of variables whose names suggest a secret, e.g. `…_TOKEN`. */
export function secretsIn(environment: NodeJS.ProcessEnv): string[] {
  const isSecret = (name: string) => /key|token|secret|pass|credential/i.test(name) && !npmVariables.test(name);
  const named = Object.entries(environment).filter(([name]) => isSecret(name));
  return named.flatMap(([, value]) => value ?? []);
}

/** The value and each of its lines, in the encodings in which they are hidden. */
function encodingsOf(value: string): string[] {
  const texts = [value.trim().replace(/\s+/g, " "), ...value.split("\n").map((line) => line.trim())];
  return texts
    .filter((text) => text.length >= shortestSecret)
    .flatMap((text) => {
      const bytes = Buffer.from(text);
      const base64 = bytes.toString("base64").replace(/(?<!=)=+$/, "");
      const inJson = JSON.stringify(text).slice(1, -1);
      return [text, inJson, encodeURIComponent(text), base64, bytes.toString("base64url"), bytes.toString("hex")];
    });
}

/** Hides what remains of a secret that was cut at the `…` of a shortened text. */
function withoutCut(text: string, encoding: string): string {
  if (!text.includes("…")) return text;
  let hidden = text;
  for (let length = Math.min(encoding.length - 1, longestCut); length >= shortestSecret; length--)
    hidden = hidden
      .replaceAll(`${encoding.slice(0, length)}…`, `${secretText}…`)
      .replaceAll(`…${encoding.slice(-length)}`, `…${secretText}`);
  return hidden;
}
