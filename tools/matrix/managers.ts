import { join } from "node:path";

/** The package managers that projects are tested with, by the packages of npm that bring them. `npm` is this machine's. */
const packages = {
  npm: undefined,
  // The newest npm runs on Node.js 22 and newer only.
  "npm 12": { name: "npm-12", source: "npm@12", script: ["bin", "npm-cli.js"] },
  "pnpm 10": { name: "pnpm-10", source: "pnpm@10", script: ["bin", "pnpm.cjs"] },
  pnpm: { name: "pnpm", source: "pnpm@12", script: ["bin", "pnpm.mjs"] },
  yarn: { name: "@yarnpkg/cli-dist", source: "@yarnpkg/cli-dist@4", script: ["bin", "yarn.js"] },
  bun: { name: `@oven/bun-${process.platform}-${process.arch}`, source: undefined, script: ["bin", "bun"] },
} as const;

export type Manager = keyof typeof packages;

/** What to install for a manager. */
export function packageOf(manager: Manager): string | undefined {
  const found = packages[manager];
  if (found === undefined) return undefined;
  return found.source === undefined ? `${found.name}@1` : `${found.name}@npm:${found.source}`;
}

export const managerPackages = (["pnpm", "yarn", "bun"] as const).flatMap((manager) => packageOf(manager) ?? []);

/** The command of a manager. `modules`: the folder of the installed managers. `node` runs those in JavaScript. */
export function managerCommand(manager: Manager, modules: string, node = process.execPath): string[] {
  const found = packages[manager];
  if (found === undefined) return ["npm"];
  const program = join(modules, found.name, ...found.script);
  return manager === "bun" ? [program] : [node, program];
}
