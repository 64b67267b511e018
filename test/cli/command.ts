import { commandLine } from "../../provider/src/cli/commands";

/** Runs a command in this process. Returns what it prints to its output, the lines beside it, and the exit code. */
export async function run(...args: string[]) {
  const [out, beside]: [string[], string[]] = [[], []];
  const spies = [
    jest.spyOn(console, "log").mockImplementation((line) => void out.push(String(line))),
    jest.spyOn(console, "error").mockImplementation((line) => void beside.push(String(line))),
    jest.spyOn(process.stdout, "write").mockImplementation((text) => out.push(String(text)) > 0),
  ];
  // Another file of tests, earlier in the same process, may have left one.
  process.exitCode = undefined;
  try {
    await commandLine().parseAsync(args, { from: "user" });
    return { out: out.join("\n"), beside, code: process.exitCode ?? 0 };
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.exitCode = undefined;
  }
}

/** The commands of a test run with these variables of a pipeline, and no other. */
export function inPipeline(variables: Record<string, string>): void {
  const { PATH, HOME, TMPDIR } = process.env;
  jest.replaceProperty(process, "env", { PATH, HOME, TMPDIR, ...variables });
}
