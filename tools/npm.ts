import { join } from "node:path";
import { version } from "../provider/package.json";
import { root } from "./local";
import { run } from "./run";

/** Runs npm in a folder. */
export const npm = (cwd: string, ...args: string[]) => run("npm", args, { cwd });

/** Packs the package into the folder. Returns the file's path. `--ignore-scripts` takes the present build. */
export function pack(folder: string, ...options: string[]): string {
  npm(root, "pack", ...options, "--pack-destination", folder, "-w", "pulumi-cloudvoice");
  return join(folder, `pulumi-cloudvoice-${version}.tgz`);
}
