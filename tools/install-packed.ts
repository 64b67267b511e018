import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./local";

/** Packs the package as it is published, installs it with its dependencies, and returns the path of `node_modules`. */
export function installPackedPackage(folder: string): string {
  const npm = (args: string[], cwd: string) =>
    execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const packed = npm(
    ["pack", "--ignore-scripts", "--json", "--pack-destination", folder, "-w", "pulumi-cloudvoice"],
    root,
  );
  const [{ filename = "" } = {}] = JSON.parse(packed) as { filename?: string }[];
  const project = join(folder, "project");
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "project", private: true }));
  const packages = [join(folder, filename), "@pulumi/pulumi@3.248"];
  npm(["install", "--no-audit", "--no-fund", "--prefer-offline", ...packages], project);
  return join(project, "node_modules");
}
