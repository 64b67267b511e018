import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import schema from "../provider/plugin/schema.json";
import { programFile } from "./engine/build";
import { getEngine, getProgram } from "./engine/engine";
import { goCompile } from "./go-build";
import { localFolder, root } from "./local";
import { pluginFolder } from "./plugin-stack";

/** The generated languages. `pulumi package add` makes the SDK of any other. */
export const languages = ["python", "go"] as const;

/**
 * Checks the plugin's schema with Pulumi's own loader, and generates the SDKs with Pulumi's own generators, each into a
 * folder with the name of its language.
 */
export async function generateSdks(folder: string, chosen: readonly (typeof languages)[number][] = languages) {
  const name = "generate-sdks";
  const generator = join(getProgram(name, await getEngine()), programFile(name));
  execFileSync(generator, [join(pluginFolder, "schema.json"), folder, ...chosen], {
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Compiles the dependencies of the SDK for Go, so that no test waits for them. */
export function compileGoDependencies(): void {
  const module = join(localFolder, "sdks");
  mkdirSync(module, { recursive: true });
  writeGoModule(module);
  for (const name of ["pulumi", "pulumi/config"])
    goCompile("the SDK for Go", { module, command: `github.com/pulumi/pulumi/sdk/v3/go/${name}` });
}

/** Makes the folder of generated SDKs a Go module with the dependencies of the example, which requires this module. */
export function writeGoModule(folder: string): void {
  const example = join(root, "examples", "go");
  const module = schema.language.go.importBasePath.replace(/\/go\/cloudvoice$/, "");
  const text = readFileSync(join(example, "go.mod"), "utf8")
    .split("\n")
    .filter((line) => !line.includes(`${module} `))
    .join("\n")
    .replace(/^module .*/m, `module ${module}`);
  writeFileSync(join(folder, "go.mod"), text);
  copyFileSync(join(example, "go.sum"), join(folder, "go.sum"));
}

/** Compiles all Go packages in the folder. */
export function compileGoSdk(folder: string): void {
  writeGoModule(folder);
  goCompile("the SDK for Go", { module: folder, command: "./..." });
}

/** The SDK in the npm package. Programs in Python need no generator for it. */
export const packedPythonSdk = join(root, "provider", "sdk", "python");

/** `npm run plugin-sdks -- python go` */
async function main(names: string[]): Promise<void> {
  const chosen = languages.filter((language) => names.length === 0 || names.includes(language));
  const folder = join(localFolder, "sdks");
  // The generator leaves the files of resources that the schema no longer has.
  for (const language of chosen) rmSync(join(folder, language), { recursive: true, force: true });
  await generateSdks(folder, chosen);
  if (chosen.includes("go")) compileGoSdk(folder);
  if (chosen.includes("python")) {
    // Without `.gitignore`, which npm would follow when it packs.
    const filter = (path: string) => !basename(path).startsWith(".git");
    rmSync(packedPythonSdk, { recursive: true });
    cpSync(join(folder, "python"), packedPythonSdk, { recursive: true, filter });
  }
  console.log(chosen.map((language) => join(folder, language)).join("\n"));
}

if (process.argv[1] === import.meta.filename) void main(process.argv.slice(2));
