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
  const problem = isOfFile ? fileProblem(code) : undefined;
  return {
    message: problem === undefined ? stringOrEmpty(message) : [file, problem].filter(Boolean).join(": "),
    name: stringOrEmpty(name),
    code: stringOrEmpty(code),
    cause,
  };
}

const fileProblems: Partial<Record<string, [problem: string, advice: string]>> = {
  ENOENT: ["there is no such file or folder", "Correct the path"],
  ENOTDIR: ["a part of the path is a file, not a folder", "Correct the path"],
  EISDIR: ["it is a folder, not a file", "Give the path of a file"],
  ELOOP: ["its symbolic links lead in a circle, or are too many", "Put the file itself there"],
  ENAMETOOLONG: ["the path, or a name in it, is too long for this system", "Use a shorter one"],
  EACCES: ["this user may not access it", "Change its rights, or the rights of the folders above it"],
  EPERM: ["the system does not allow it", "Change its owner or rights, or use another path"],
  EROFS: ["its file system can only be read", "Use another path"],
  ENOSPC: ["the disk is full", "Free some space"],
  EDQUOT: ["this user's share of the disk is full", "Free some space"],
  EMFILE: ["this process has too many open files", "Raise its limit (`ulimit -n`)"],
  ENFILE: ["the system has too many open files", "Close other programs"],
  EBUSY: ["another program uses it", "Close that program"],
  EIO: ["the disk reports a failure", "Check the disk, and restore the file"],
};

/** Describes the system error of a file operation by its code, with advice. */
export function fileProblem(code: unknown): string | undefined {
  const [problem, advice] = (Object.hasOwn(fileProblems, String(code)) && fileProblems[String(code)]) || [];
  return problem && `${problem} (${String(code)}). ${advice}`;
}

function stringOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}
