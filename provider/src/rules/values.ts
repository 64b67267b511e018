/** Whether a value is an object with keys: not an array, and not null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The engine's placeholder for an unknown value, at any depth of the inputs. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Marks an object of the engine as a special value, such as a secret. */
export const signature = "4dabf18193072939515e22adb298388d";

/** The value under {@link signature} in a secret. */
export const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

export function splitUnknown(inputs: Record<string, unknown>): {
  values: Record<string, unknown>;
  unknown: Set<string>;
} {
  const values: Record<string, unknown> = {};
  const unknown = new Set<string>();
  for (const [name, value] of Object.entries(inputs)) {
    if (contains(value, (each) => each === unknownValue)) unknown.add(name);
    else if (value !== undefined && value !== null) values[name] = value;
  }
  return { values, unknown };
}

function contains(value: unknown, isSuch: (value: unknown) => boolean): boolean {
  if (isSuch(value)) return true;
  return typeof value === "object" && value !== null && Object.values(value).some((each) => contains(each, isSuch));
}

/** Whether a value in a state is a secret that was not read in clear. */
export function isHiddenSecret(value: unknown): boolean {
  return isRecord(value) && signature in value && typeof value.plaintext !== "string";
}

/**
 * The value with its secrets in clear, if they were read (`stack export --show-secrets`). In rights, secrets stay
 * marked, because commands show rights to people.
 */
export function withPlaintexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPlaintexts);
  if (!isRecord(value)) return value;
  if (signature in value)
    return typeof value.plaintext === "string" ? withPlaintexts(JSON.parse(value.plaintext)) : value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, name === "rights" ? each : withPlaintexts(each)]),
  );
}

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
