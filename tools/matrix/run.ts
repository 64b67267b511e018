import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { startEmulator } from "../../provider/src/emulator";
import { root } from "../local";
import { putRecordings, type Run, Stack } from "../stack";
import { type Cell, isRefused } from "./cells";

/** What a cell needs beside itself: the packed package, package managers and other versions of Node.js, all from the registry. */
export interface Workshop {
  folder: string;
  tarball: string;
  company: string;
  tools: string;
}

export type Steps = Partial<Record<"install" | "up" | "preview" | "refresh" | "destroy", string>>;

const here = Number(process.versions.node.split(".")[0]);

/** Only what the chosen cells need is fetched. */
export function workshopIn(folder: string, chosen: Cell[]): Workshop {
  const npm = (args: string[], cwd: string) =>
    execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  npm(["pack", "--ignore-scripts", "--pack-destination", folder, "-w", "pulumi-cloudvoice"], root);
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "");

  const tools = join(folder, "tools");
  mkdirSync(tools);
  writeFileSync(join(tools, "package.json"), JSON.stringify({ private: true }));
  const wanted = new Set<string>();
  for (const { manager, node } of chosen) {
    if (manager === "pnpm") wanted.add("pnpm@10");
    if (manager === "yarn") wanted.add("@yarnpkg/cli-dist@4");
    if (node !== here) wanted.add(`node-${node}@npm:node-${process.platform}-${process.arch}@${node}`);
  }
  if (wanted.size > 0) npm(["install", "--no-audit", "--no-fund", "--force", ...wanted], tools);

  // A company's own component, which people install and never see what it is made of.
  const company = join(folder, "company");
  mkdirSync(company);
  writeFileSync(
    join(company, "package.json"),
    JSON.stringify({
      name: "company-voices",
      version: "1.0.0",
      main: "index.js",
      dependencies: { "pulumi-cloudvoice": `file:${tarball}` },
    }),
  );
  writeFileSync(join(company, "index.js"), `exports.VoiceCatalog = require("pulumi-cloudvoice").VoiceCatalog;\n`);
  npm(["pack", "--pack-destination", folder], company);
  return { folder, tarball, company: join(folder, "company-voices-1.0.0.tgz"), tools };
}

/** Installs, and lives a stack's whole life. Each step says `ok`, or what went wrong. */
export async function runCell(cell: Cell, workshop: Workshop): Promise<Steps> {
  const base = mkdtempSync(join(workshop.folder, "cell-"));
  const project = cell.place === "workspace" ? join(base, "infra") : base;
  writeProject(cell, base, project, workshop);
  const steps: Steps = {};
  try {
    install(cell, base, workshop);
    steps.install = "ok";
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    return { install: lastWords(`${stdout ?? ""}\n${stderr ?? String(error)}`) };
  }

  const emulator = await startEmulator();
  try {
    const plain = await Stack.of(project, emulator);
    const stack =
      cell.node === here
        ? plain
        : plain.with({
            PATH: [join(workshop.tools, "node_modules", `node-${cell.node}`, "bin"), plain.env.PATH].join(delimiter),
          });
    const up = await stack.up();
    if (isRefused(cell)) {
      const told = /pulumi-cloudvoice can't be found from the program's folder.*npm install pulumi-cloudvoice/s.test(
        up.output.replace(/\s+/g, " "),
      );
      return { ...steps, up: told ? "refused, with the way on" : lastWords(up.output) };
    }
    steps.up = verdict(up, emulator.summary().voicesBilled === 2);
    steps.preview = verdict(await stack.preview("--expect-no-changes"), true);
    steps.refresh = verdict(await stack.refresh("--expect-no-changes"), true);
    steps.destroy = verdict(await stack.destroy(), emulator.voices().length === 0);
    return steps;
  } finally {
    await emulator.close();
  }
}

function writeProject(
  { manager, program, sdk, place }: Cell,
  base: string,
  project: string,
  { tarball, company }: Workshop,
): void {
  mkdirSync(project, { recursive: true });
  const ours =
    place === "component" ? { "company-voices": `file:${company}` } : { "pulumi-cloudvoice": `file:${tarball}` };
  const manifest = {
    name: "infra",
    version: "1.0.0",
    private: true,
    ...(program === "esm" && { type: "module" }),
    main: program === "typescript" ? "index.ts" : "index.js",
    dependencies: {
      "@pulumi/pulumi": sdk === "newest" ? "latest" : `~${sdk}.0`,
      ...ours,
      ...(program === "typescript" && { typescript: "^5.9.0", "@types/node": "^20.0.0" }),
    },
    // The company's package names ours by a version; until that is published, it is the packed one.
    ...(place === "component" &&
      manager === "pnpm" && { pnpm: { overrides: { "pulumi-cloudvoice": `file:${tarball}` } } }),
  };
  writeFileSync(join(project, "package.json"), JSON.stringify(manifest, null, 2));
  if (project !== base)
    writeFileSync(join(base, "package.json"), JSON.stringify({ private: true, workspaces: ["infra"] }));
  writeFileSync(join(project, "Pulumi.yaml"), "name: infra\nruntime: nodejs\n");
  if (program === "typescript")
    writeFileSync(
      join(project, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          target: "es2022",
          module: "commonjs",
          moduleResolution: "node10",
          strict: true,
          skipLibCheck: false,
          types: ["node"],
        },
      }),
    );
  if (manager === "yarn")
    writeFileSync(
      join(base, ".yarnrc.yml"),
      "nodeLinker: node-modules\nenableTelemetry: false\nenableImmutableInstalls: false\n",
    );

  const from = place === "component" ? "company-voices" : "pulumi-cloudvoice";
  const head = {
    commonjs: `const { VoiceCatalog } = require("${from}");`,
    typescript: `import { VoiceCatalog } from "${from}";`,
    esm: `import { VoiceCatalog } from "${from}";`,
  }[program];
  const tail =
    program === "commonjs" ? "exports.manifest = catalog.manifest;" : "export const manifest = catalog.manifest;";
  const body = `const catalog = new VoiceCatalog("voices", { defaults: { targetModel: "svc3-tts-vc-2026-01-22" }, voices: { a: { audio: "a.wav" }, b: { audio: "b.mp3" } } });`;
  writeFileSync(join(project, program === "typescript" ? "index.ts" : "index.js"), `${head}\n${body}\n${tail}\n`);
  putRecordings(project);
}

function install({ manager }: Cell, cwd: string, { tools }: Workshop): void {
  const registry = execFileSync("npm", ["config", "get", "registry"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
  const [command, ...args] = {
    npm: ["npm", "install", "--no-audit", "--no-fund"],
    pnpm: [process.execPath, join(tools, "node_modules", "pnpm", "bin", "pnpm.cjs"), "install", "--ignore-workspace"],
    yarn: [process.execPath, join(tools, "node_modules", "@yarnpkg", "cli-dist", "bin", "yarn.js"), "install"],
  }[manager];
  execFileSync(command ?? "npm", args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, YARN_NPM_REGISTRY_SERVER: registry, npm_config_registry: registry },
  });
}

function verdict(run: Run, kept: boolean): string {
  if (run.code !== 0) return lastWords(run.output);
  return kept ? "ok" : "the emulator's ledger disagrees";
}

function lastWords(output: string): string {
  return output.trim().split("\n").slice(-8).join(" ").replace(/\s+/g, " ").slice(-300);
}
