import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Emulator } from "../../provider/emulator";
import { getEngine } from "../../tools/engine/engine";
import { prepareLanguage } from "../../tools/languages";
import { Stack as AnyStack } from "../../tools/stack";
import { put, root, temporaryFolder } from "./files";
import { fastStart, Stack } from "./stack";

/** Accounts with the key that the examples take from the variable `STUDIO_KEY`. */
export const exampleAccounts = { default: ["key", "studio-key"] };

/** What the languages of the examples need, which the stacks of a file share: the folder of the SDKs, and those for the PATH. */
const prepared: Record<string, { local: string; folders: Promise<string[]> }> = {};

/** A stack of one of the examples of the native plugin, in its language. It uses the SDK that Pulumi generates. */
export async function exampleStack(example: string, emulator: Emulator): Promise<Stack> {
  const clone = temporaryFolder();
  const project = join(clone, "examples", example);
  mkdirSync(join(clone, "examples"));
  for (const path of ["provider", "node_modules", "examples/catalog"]) symlinkSync(join(root, path), join(clone, path));
  cpSync(join(root, "examples", example), project, { recursive: true, filter: (path) => !path.includes("/.local") });
  const engine = await getEngine();
  const prepare = (local: string) => ({ local, folders: prepareLanguage(project, local, engine) });
  const { local, folders } = (prepared[example] ??= prepare(temporaryFolder()));
  const onPath = await folders;
  symlinkSync(local, join(clone, ".local"));
  // `npm run types` checks the types.
  const typescript = { PULUMI_NODEJS_TYPESCRIPT: "true", PULUMI_NODEJS_TRANSPILE_ONLY: "true" };
  const stack = await AnyStack.of(project, emulator, {
    settings: { ...(example === "native" ? typescript : fastStart), STUDIO_KEY: "studio-key" },
  });
  return stack.with({ PATH: [...onPath, stack.env.PATH].join(delimiter) });
}

/** A stack of the example of the README, which provisions the voices of the languages. */
export async function catalogExample(emulator: Emulator) {
  const typescript = { PULUMI_NODEJS_TYPESCRIPT: "true", NODE_OPTIONS: "" };
  const stack = await Stack.create(emulator, { CLOUDVOICE_IMAGE_POLL_SECONDS: "0.1", ...typescript });
  cpSync(join(root, "examples", "catalog"), join(stack.folder, "examples", "catalog"), { recursive: true });
  put(stack.folder, "Pulumi.yaml", "name: program\nruntime: nodejs\nmain: examples/catalog\n");
  const languages = (...wanted: string[]) => stack.configure({ "program:languages": JSON.stringify(wanted) });
  languages("en");
  return { stack, languages };
}
