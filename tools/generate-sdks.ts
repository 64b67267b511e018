import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync } from "node:fs";
import { join } from "node:path";
import { programFile } from "./engine/build";
import { getEngine, getProgram } from "./engine/engine";
import { goCompile } from "./go-build";
import { localFolder, root } from "./local";
import { pluginFolder } from "./plugin-stack";

/** Programs in TypeScript and JavaScript use `pulumi-cloudvoice/native`. */
export const languages = ["python", "go", "dotnet"] as const;

/**
 * Checks the plugin's schema with Pulumi's own loader, and generates the SDKs with Pulumi's own generators, each into a
 * folder with the name of its language.
 */
export async function generateSdks(folder: string, chosen: readonly (typeof languages)[number][] = languages) {
  const generator = join(getProgram("generate-sdks", await getEngine()), programFile("generate-sdks"));
  execFileSync(generator, [join(pluginFolder, "schema.json"), folder, ...chosen], {
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** The Go module of the SDKs, which pins Pulumi's SDK for Go. */
const goModule = join(import.meta.dirname, "engine", "sdk-go");

/** Compiles what the SDK for Go uses, so that no test waits for it. */
export function compileGoDependencies(): void {
  for (const name of ["pulumi", "pulumi/config"])
    goCompile("the SDK for Go", { module: goModule, command: `github.com/pulumi/pulumi/sdk/v3/go/${name}` });
}

/** Makes the folder of generated SDKs a Go module. */
export function writeGoModule(folder: string): void {
  for (const file of ["go.mod", "go.sum"]) copyFileSync(join(goModule, file), join(folder, file));
}

/** Compiles all Go packages in it. */
export function compileGoSdk(folder: string): void {
  writeGoModule(folder);
  goCompile("the SDK for Go", { module: folder, command: "./..." });
}

/** The SDK that the package contains, so that a program in Python needs no generator. */
export const packedPythonSdk = join(root, "provider", "sdk", "python");

/** `npm run plugin-sdks -- python go` */
async function main(names: string[]): Promise<void> {
  const chosen = languages.filter((language) => names.length === 0 || names.includes(language));
  const folder = join(localFolder, "sdks");
  await generateSdks(folder, chosen);
  if (chosen.includes("go")) compileGoSdk(folder);
  if (chosen.includes("python")) cpSync(join(folder, "python"), packedPythonSdk, { recursive: true });
  console.log(chosen.map((language) => join(folder, language)).join("\n"));
}

if (process.argv[1] === import.meta.filename) void main(process.argv.slice(2));
