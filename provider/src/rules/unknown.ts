/** The engine's placeholder for a value that is not known yet, at any depth of the inputs. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Marks an object of the engine as a special value, such as a secret. */
export const signature = "4dabf18193072939515e22adb298388d";

/** Splits the inputs: those that are completely known, and the names of the others. */
export function splitUnknown(inputs: Record<string, unknown>): {
  known: Record<string, unknown>;
  unknown: Set<string>;
} {
  const known: Record<string, unknown> = {};
  const unknown = new Set<string>();
  for (const [name, value] of Object.entries(inputs)) {
    if (containsUnknown(value)) unknown.add(name);
    else if (value !== undefined && value !== null) known[name] = value;
  }
  return { known, unknown };
}

function containsUnknown(value: unknown): boolean {
  if (value === unknownValue) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(containsUnknown);
}
