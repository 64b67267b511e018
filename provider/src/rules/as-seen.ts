import { isRecord } from "./is-record";

/** The invisible differences between two texts, each with a function that removes it. */
const unseenDifferences: Readonly<Record<string, (text: string) => string>> = {
  "a byte order mark": (text) => text.replace(/^\uFEFF/, ""),
  "line ends": (text) => text.replace(/\r\n?/g, "\n"),
  "the Unicode form": (text) => text.normalize("NFC"),
  "white space at the end": (text) => text.trimEnd(),
};

/** Applies the functions to every text in the value. Keys of objects are not changed, because programs use them. */
export function withoutDifferences(value: unknown, removals: readonly ((text: string) => string)[]): unknown {
  if (typeof value === "string") return removals.reduce((text, remove) => remove(text), value);
  if (Array.isArray(value)) return value.map((each) => withoutDifferences(each, removals));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutDifferences(each, removals)]));
}

/** Removes invisible differences from a value: an editor, Git or a file system may add them to a text. */
export const asSeen = (value: unknown) => withoutDifferences(value, Object.values(unseenDifferences));
