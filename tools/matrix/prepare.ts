import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { npm, pack } from "../npm";
import { managerCommand, packageOf } from "./managers";
import type { Project } from "./projects";

/** The parts that projects share: the packed package, package managers, and other versions of Node.js. */
export interface Shared {
  folder: string;
  /** The packed package. */
  tarball: string;
  /** A packed package of a company, which exports a class of this package. */
  companyTarball: string;
  /** The folder with `node_modules` of package managers and versions of Node.js. */
  tools: string;
}

const ownNodeVersion = Number(process.versions.node.split(".")[0]);

/** Packs the packages, and installs the tools that the chosen projects need. */
export function prepare(folder: string, chosen: Project[]): Shared {
  const tarball = pack(folder, "--ignore-scripts");
  const tools = installTools(folder, chosen);
  const companyTarball = packCompanyPackage(folder, tarball);
  return { folder, tarball, companyTarball, tools };
}

function installTools(folder: string, chosen: Project[]): string {
  const tools = join(folder, "tools");
  mkdirSync(tools);
  writeFileSync(join(tools, "package.json"), JSON.stringify({ private: true }));
  const packages = new Set<string>();
  for (const { manager, node } of chosen) {
    const source = packageOf(manager);
    if (source !== undefined) packages.add(source);
    if (node !== ownNodeVersion) packages.add(`node-${node}@npm:node-${process.platform}-${process.arch}@${node}`);
  }
  if (packages.size > 0) npm(tools, "install", "--no-audit", "--no-fund", "--force", ...packages);
  return tools;
}

function packCompanyPackage(folder: string, tarball: string): string {
  const company = join(folder, "company");
  mkdirSync(company);
  const manifest = {
    name: "company-voices",
    version: "1.0.0",
    main: "index.js",
    dependencies: { "pulumi-cloudvoice": `file:${tarball}` },
  };
  writeFileSync(join(company, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(company, "index.js"), `exports.VoiceCatalog = require("pulumi-cloudvoice").VoiceCatalog;\n`);
  npm(company, "pack", "--pack-destination", folder);
  return join(folder, "company-voices-1.0.0.tgz");
}

/** The PATH with the project's version of Node.js in front. */
export function pathWithNode(project: Project, shared: Shared, path: string | undefined): string {
  return project.node === ownNodeVersion ? (path ?? "") : [dirname(nodeOf(project, shared)), path].join(delimiter);
}

function nodeOf({ node }: Project, { tools }: Shared): string {
  return node === ownNodeVersion ? process.execPath : join(tools, "node_modules", `node-${node}`, "bin", "node");
}

/** Installs the project's dependencies with its package manager. */
export function installDependencies(project: Project, cwd: string, shared: Shared): void {
  const registry = npm(cwd, "config", "get", "registry").trim();
  const [command = "", ...args] = managerCommand(
    project.manager,
    join(shared.tools, "node_modules"),
    nodeOf(project, shared),
  );
  execFileSync(command, [...args, "install"], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, YARN_NPM_REGISTRY_SERVER: registry, npm_config_registry: registry },
  });
}
