/**
 * The message, name, code and cause of a thrown value. Workaround: not by `instanceof Error`, because Jest runs code in
 * a separate realm, where errors of Node's own modules are not instances of the global `Error`.
 */
export function describeThrown(thrown: unknown): { message: string; name: string; code: string; cause: unknown } {
  if (typeof thrown !== "object" || thrown === null)
    return { message: String(thrown), name: "", code: "", cause: undefined };
  const { message, name, code, cause } = thrown as Record<string, unknown>;
  return { message: stringOrEmpty(message), name: stringOrEmpty(name), code: stringOrEmpty(code), cause };
}

function stringOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}
