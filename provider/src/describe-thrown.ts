/**
 * The message, name, code and cause of a thrown value. It does not use `instanceof Error`, because test runners such as Jest run
 * code in a realm of its own: there, Node's own errors are no instances of the `Error` that the code sees.
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
