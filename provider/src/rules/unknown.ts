/** How the engine tells a provider that a value is not known yet, at any depth of the inputs. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** The inputs that are known whole, and the names of those that are not. */
export function splitUnknown(inputs: Record<string, unknown>): {
  known: Record<string, unknown>;
  unknown: Set<string>;
} {
  const known: Record<string, unknown> = {};
  const unknown = new Set<string>();
  for (const [name, value] of Object.entries(inputs)) {
    if (holdsUnknown(value)) unknown.add(name);
    else if (value !== undefined && value !== null) known[name] = value;
  }
  return { known, unknown };
}

function holdsUnknown(value: unknown): boolean {
  if (value === unknownValue) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsUnknown);
}
