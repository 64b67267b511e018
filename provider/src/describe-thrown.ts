/**
 * What a thrown thing says of itself. Not by `instanceof Error`: under a test runner such as Jest, Node's own errors are of
 * another realm than the program's `Error`.
 */
export function describeThrown(thrown: unknown): { message: string; name: string; code: string; cause: unknown } {
  if (typeof thrown !== "object" || thrown === null)
    return { message: String(thrown), name: "", code: "", cause: undefined };
  const { message, name, code, cause } = thrown as Record<string, unknown>;
  return { message: textOf(message), name: textOf(name), code: textOf(code), cause };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
