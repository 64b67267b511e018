import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import type { Server } from "node:http";
import { delimiter, join } from "node:path";
import { getEngine, getProgram } from "../../tools/engine/engine";
import { registryWith } from "../../tools/registry";
import { pack } from "../../tools/npm";
import { codeBlocks } from "../support/code-blocks";
import { root, temporaryFolder } from "../support/files";
import { outputOf } from "../support/stack";

/**
 * Types the quick start word for word, from an empty folder to a voice. Two things differ from what a user has: the
 * registry has the package already, and packages that are installed once are copied.
 */

const page = readFileSync(join(root, "docs", "quick-start.md"), "utf8");
const blocksOf = (heading: string) => {
  const section = page.slice(page.indexOf(`\n## ${heading}\n`) + 1).split("\n## ")[0] ?? "";
  return codeBlocks(section, "sh", "ts");
};

let folder: string;
let packed: string;
let env: NodeJS.ProcessEnv;
let registry: Server;

beforeAll(async () => {
  folder = temporaryFolder();
  const engine = await getEngine();
  const others = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  packed = pack(folder, "--ignore-scripts");
  const { url, server } = await registryWith(packed, others);
  registry = server;
  const inherited = Object.entries(process.env).filter(([name]) => !/^(CLOUDVOICE_|PULUMI_|npm_)/.test(name));
  env = {
    ...Object.fromEntries(inherited),
    PATH: [engine.folder, getProgram("pulumi-language-yaml", engine), process.env.PATH].join(delimiter),
    npm_config_registry: url,
    PACKED: packed,
    XDG_STATE_HOME: join(folder, "xdg-state"),
    PULUMI_HOME: join(folder, "pulumi"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_REGISTRY_RESOLVE: "true",
  };
});
afterAll(() => {
  registry.close();
});

const emptyFolder = () => mkdtempSync(join(folder, "work-"));
const [threeCommands = ""] = blocksOf("Three commands");

/** The project in TypeScript. */
let first: string;
/** In other projects, npm finds the packages of the first one in their places, and adds none. */
const withPackages = (commands: string, before: string) =>
  commands
    .replace(before, (command) => `${command} && cp -R ${first}/node_modules .`)
    .replace(/# prints: added .*/, "");

const installedCommand = () => `${first}/node_modules/.bin/pulumi-cloudvoice init voices && cd voices`;

test("three commands go from an empty folder to a voice", async () => {
  const work = emptyFolder();
  await expectPrinted(threeCommands, work);
  first = join(work, "voices");
});

test("then come an empty update, a review and another recording", async () => {
  const [see = "", change = ""] = blocksOf("The first hour");
  await expectPrinted(see, first);
  await expectPrinted(change, first);
});

test("then come a gate, which compiles, and the project's own test", async () => {
  const [, , gate = ""] = blocksOf("The first hour");
  await expectPrinted(`cat >> index.ts <<'END'\n${gate}END\n`, first);
  await expectPrinted("npm run up # prints: 2 created … 1 decide\nnpx tsc\nnpm test # prints: # pass 1\n", first);
});

test("three commands make a project in YAML, whose test passes", async () => {
  const commands = threeCommands.replace("init voices", "init voices --language yaml");
  await expectPrinted(`${withPackages(commands, "cd voices")}npm test # prints: # pass 1\n`, emptyFolder());
});

test("three commands make a project in Python, whose test passes", async () => {
  const [, install = ""] = /second\s+command\s+is\s+`([^`]+)`/.exec(page) ?? [];
  const engine = await getEngine();
  env.PATH = [getProgram("pulumi-language-python", engine), env.PATH].join(delimiter);
  const commands = threeCommands
    .replace(/^npx .* && cd voices/, installedCommand())
    .replace("init voices", "init voices --language python")
    .replace(/npm install\s+# prints.*/, install);
  const work = emptyFolder();
  await expectPrinted(withPackages(commands, "cd voices"), work);
  const project = join(work, "voices");
  const [gate = ""] = codeBlocks(readFileSync(join(root, "docs", "python.md"), "utf8"), "python");
  await expectPrinted(`cat >> __main__.py <<'END'\n${gate}END\n`, project);
  await expectPrinted("npm run up # prints: 1 created … 1 decide\n", project);
  await expectPrinted("npm test # prints: OK … It now holds 0 voices\n", project);

  // The test touches no stack but its own, also beside the emulator of `npm run up`; without an emulator it says so.
  await expectPrinted("npm run dev -- python -m unittest # prints: OK … It now holds 1 voice\n", project);
  await expectPrinted("! venv/bin/python -m unittest # prints: There is no emulator\n", project);
  await expectPrinted("npm run up # prints: 3 unchanged\n", project);
});

/** Runs a block of the page, and checks that each `# prints:` comment follows in its output, in this order. */
async function expectPrinted(block: string, cwd: string): Promise<void> {
  const child = start(block, cwd);
  const output = outputOf(child);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  const pattern = printed(block)
    .map((text) => text.split(/ ?… ?/).map(escaped).join("[^]*?"))
    .join("[^]*?");
  expect(output()).toMatch(new RegExp(pattern));
  expect(code).toBe(0);
}

function printed(block: string): string[] {
  return [...block.matchAll(/# prints: (.*)$/gm)].map(([, text = ""]) => text);
}

function start(block: string, cwd: string): ChildProcess {
  return spawn("bash", ["-ec", block], { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
