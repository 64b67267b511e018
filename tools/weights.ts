/** `npm run weights`: what `npm install pulumi-cloudvoice` adds to a project that has Pulumi's SDK already. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dependencies } from "../provider/package.json";
import { root } from "./local";

/** Packs the package as it is published, installs it with its dependencies, and returns the path of `node_modules`. */
function installPackedPackage(folder: string): string {
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

const folder = mkdtempSync(join(tmpdir(), "cloudvoice-weights-"));
try {
  const modules = installPackedPackage(folder);
  const bytesIn = (path: string) =>
    readdirSync(path, { recursive: true, encoding: "utf8" })
      .map((name) => statSync(join(path, name)))
      .reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0);
  const megabytes = (bytes: number) => Number((bytes / 1e6).toFixed(2));
  const packed = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  const rows = ["pulumi-cloudvoice", ...Object.keys(dependencies)].map(
    (name) => [name, bytesIn(join(modules, name))] as const,
  );
  console.table(Object.fromEntries(rows.map(([name, bytes]) => [name, { MB: megabytes(bytes) }])));
  const total = rows.reduce((sum, [, bytes]) => sum + bytes, 0);
  console.log(
    `${rows.length} packages, ${megabytes(total)} MB; the packed file: ${megabytes(statSync(join(folder, packed)).size)} MB`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
