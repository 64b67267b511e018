/**
 * `npm run pulumi -- <arguments>`: runs Pulumi as `pulumi-cloudvoice dev` does, with the repository's engine, and with
 * state and emulator in `.local/dev`. `--cwd examples/image` runs another example. `npm run cloudvoice -- <arguments>`
 * runs the package's command line in the same way.
 */
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { getEngine } from "./engine/engine";
import { prepareLanguage } from "./languages";
import { localFolder, root, withEngine } from "./local";

/** npm links no `bin` of a workspace that is built after `npm ci`, so `npx` may not find the command here. */
const commandLine = join(root, "provider", "dist", "cli.js");

async function main([first = "", ...others]: string[]): Promise<void> {
  const engine = await getEngine();
  Object.assign(process.env, withEngine(engine, process.env));
  const cwd = others[others.indexOf("--cwd") + 1];
  const project = join(root, others.includes("--cwd") ? (cwd ?? "") : "");
  process.env.PATH = [...(await prepareLanguage(project, localFolder, engine)), process.env.PATH].join(delimiter);
  process.env.PULUMI_HOME ??= join(localFolder, "pulumi");
  const command = first === "cloudvoice" ? [process.execPath, commandLine, ...others] : ["pulumi", first, ...others];
  // `dev` refuses a folder with links, and the virtual environment for Python, in `.local`, has links.
  process.argv.splice(2, Infinity, "dev", "--folder", join(localFolder, "dev"), "--", ...command);
  createRequire(import.meta.url)(commandLine);
}

void main(process.argv.slice(2));
