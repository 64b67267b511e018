import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { programFile } from "./engine/build";
import { getEngine, getProgram } from "./engine/engine";
import { localFolder } from "./local";
import { pluginFolder } from "./plugin-stack";

export const languages = ["nodejs", "python", "go", "dotnet"] as const;

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

/** `npm run plugin-sdks -- python nodejs` */
async function main(names: string[]): Promise<void> {
  const chosen = languages.filter((language) => names.length === 0 || names.includes(language));
  const folder = join(localFolder, "sdks");
  await generateSdks(folder, chosen);
  console.log(chosen.map((language) => join(folder, language)).join("\n"));
}

if (process.argv[1] === import.meta.filename) void main(process.argv.slice(2));
