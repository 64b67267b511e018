/**
 * Returns the parts of a thrown value. Workaround: Jest runs tests in a realm of their own, where errors of Node.js's
 * modules are not `instanceof Error`.
 */
export function describeThrown(thrown: unknown): { message: string; name: string; code: string; cause: unknown } {
  if (typeof thrown !== "object" || thrown === null)
    return { message: String(thrown), name: "", code: "", cause: undefined };
  const { message, name, code, cause, path, syscall } = thrown as Record<string, unknown>;
  const file = stringOrEmpty(path);
  // The error of a `read` or `write` has no path. The error of a `spawn` has the path of the program.
  const isOfFile = /^(read|write)$/.test(String(syscall)) || (file !== "" && !String(syscall).startsWith("spawn"));
  const problem = isOfFile ? fileProblem(thrown) : undefined;
  return {
    message: problem === undefined ? stringOrEmpty(message) : [file, problem].filter(Boolean).join(": "),
    name: stringOrEmpty(name),
    code: stringOrEmpty(code),
    cause,
  };
}

/** The system's reason in an error of Node.js about a file: `no such file or directory (ENOENT)`. */
export function fileProblem(thrown: unknown): string | undefined {
  const [, code, reason] = /^(E[A-Z0-9]+): ([^,]+)/.exec((thrown as Partial<Error> | null)?.message ?? "") ?? [];
  return reason && `${reason} (${code})`;
}

function stringOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the result of `work`, or undefined if it throws, e.g. in `JSON.parse`. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
