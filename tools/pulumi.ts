/**
 * `npm run pulumi -- <arguments>`: runs Pulumi as `pulumi-cloudvoice dev` does, with the repository's engine, and with
 * state and emulator in `.local`. `--cwd examples/image` runs another example. `npm run cloudvoice -- <arguments>` runs
 * the package's command line in the same way.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { getEngine } from "./engine/engine";
import { localFolder, root, withEngine } from "./local";

/** npm links no bin for a workspace whose built files are missing at `npm ci`, so `npx pulumi-cloudvoice` may fail here. */
const commandLine = join(root, "provider", "dist", "cli.js");

async function main([first = "", ...others]: string[]): Promise<void> {
  Object.assign(process.env, withEngine(await getEngine(), process.env));
  process.env.PULUMI_HOME ??= join(localFolder, "pulumi");
  const command = first === "cloudvoice" ? [process.execPath, commandLine, ...others] : ["pulumi", first, ...others];
  process.argv.splice(2, Infinity, "dev", "--folder", localFolder, "--", ...command);
  createRequire(import.meta.url)(commandLine);
}

void main(process.argv.slice(2));
