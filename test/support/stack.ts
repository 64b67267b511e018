import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import type { Emulator } from "../../provider/emulator";
import { descendantsOf, killAll } from "../../tools/chaos/kill";
import { type Run, Stack as AnyStack } from "../../tools/stack";
import { temporaryFolder } from "./files";

export type Stack = AnyStack;

/** For the environment of Pulumi: its processes start in two thirds of the time. */
export const fastStart = { NODE_OPTIONS: `--require ${join(__dirname, "lazy-sdk.cjs")}` };

/** A stack of a project in a temporary folder. The folder is removed after the tests of the file. */
export const Stack = {
  create: (
    emulator: Pick<Emulator, "url" | "apiKey">,
    settings: Record<string, string> = {},
    name = "dev",
  ): Promise<Stack> =>
    AnyStack.in(temporaryFolder(), emulator, {
      settings: { ...fastStart, ...settings },
      name,
      native: isNative(),
    }),
};

/**
 * Whether the programs of the tests load `pulumi-cloudvoice/native`. Whatever the classes do, they do with either:
 * `CLOUDVOICE_FACE=native npx jest test/engine`
 */
export const isNative = () => process.env.CLOUDVOICE_FACE === "native";

/** The type of a resource, which stands in its URN. */
export const typeOf = (name: "CloudVoice" | "GeneratedImage" | "Decision") =>
  `${isNative() ? "cloudvoice:index" : "pulumi-nodejs:dynamic/cloudvoice"}:${name}`;

/** From now on, the folder of the stack is that of another project. */
export const renameProject = ({ folder }: Stack, name: string) =>
  AnyStack.writeProject(folder, name, { native: isNative() });

/** How often the closing diagnostics of a run contain the text. The engine also prints each line while it runs. */
export function said(run: Run, text: string): number {
  const diagnostics = run.output.slice(run.output.indexOf("Diagnostics:"));
  return diagnostics.split(text).length - 1;
}

/** The number of resources that a run's summary lists as `created`, `updated`, `replaced`, `deleted` or `unchanged`. */
export function counted(run: Run, what: string): number {
  return Number(new RegExp(`(\\d+) (?:to )?${what}`).exec(run.output)?.[1] ?? 0);
}

/** Returns a function that returns what the process has printed by now. */
export function outputOf({ stdout, stderr }: ChildProcess): () => string {
  let output = "";
  for (const stream of [stdout, stderr]) stream?.on("data", (data: Buffer) => (output += data.toString()));
  return () => output;
}

const survivors: number[] = [];
afterEach(() => killAll(survivors.splice(0)));

/** Kills the command line alone. Its child processes live on, as after a crash, and are killed after the test. */
export function killCommandLine(child: ChildProcess): void {
  survivors.push(...descendantsOf(child.pid ?? 0));
  child.kill("SIGKILL");
}

export { descendantsOf };
