import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { basename, delimiter, join } from "node:path";
import { getEngine } from "../../tools/engine/engine";
import { put, root, temporaryFolder } from "../support/files";
import { outputOf } from "../support/stack";
import { until } from "../support/until";

/**
 * Types the quick start of the README word for word, from an empty folder to a voice. Three things differ from what a
 * user has: the packed file is not in the clone, `pulumi new` takes its template from this machine, and the emulator
 * listens on a free port.
 */

const readme = readFileSync(join(root, "README.md"), "utf8");
const section = readme.slice(readme.indexOf("## Quick start")).split("\n## ")[0] ?? "";
const [create = "", emulate = "", run = ""] = [...section.matchAll(/```sh\n(.*?)```/gs)].map((block) => block[1] ?? "");

let folder: string;
let env: NodeJS.ProcessEnv;
let port: number;
let tarball: string;
let emulator: ChildProcess | undefined;

beforeAll(async () => {
  folder = temporaryFolder();
  port = await freePort();
  const engine = await getEngine();
  tarball = pack();
  const inherited = Object.entries(process.env).filter(([name]) => !/^(CLOUDVOICE_|PULUMI_|npm_)/.test(name));
  env = {
    ...Object.fromEntries(inherited),
    PATH: [engine.folder, process.env.PATH].join(delimiter),
    XDG_STATE_HOME: join(folder, "xdg-state"),
    PULUMI_HOME: join(folder, "pulumi"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_REGISTRY_RESOLVE: "true",
    PULUMI_TEMPLATE_GIT_REPOSITORY: `file://${templates()}`,
  };
});
afterAll(() => {
  // npx does not pass signals on, so the whole process group gets it.
  if (emulator?.pid !== undefined) process.kill(-emulator.pid, "SIGINT");
});

test("the quick start goes from an empty folder to a voice, and prints what the README says", async () => {
  const work = join(folder, "work");
  mkdirSync(work);
  await expectPrinted(create, work);

  const project = join(work, "voices");
  emulator = start(emulate, project);
  const log = outputOf(emulator);
  const [ready = "missing"] = printed(emulate);
  await until(() => log().includes(ready));

  await expectPrinted(run, project);
  expect(readFileSync(join(project, "state", ".pulumi", "stacks", "voices", "dev.json"), "utf8")).not.toContain(
    "CloudVoice",
  );
});

/** Runs a block of the README, and checks that each `# prints:` comment follows in its output, in this order. */
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
  const text = block.replaceAll("4010", String(port)).replace(`<clone>/${basename(tarball)}`, tarball);
  return spawn("bash", ["-c", text], { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

function pack(): string {
  execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", folder, "-w", "pulumi-cloudvoice"], {
    cwd: root,
    stdio: "pipe",
  });
  return join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "");
}

/** A repository of templates in the form of github.com/pulumi/templates, with the template `typescript`. */
function templates(): string {
  const repository = join(folder, "templates");
  const template = join(repository, "typescript");
  const runtime = "runtime:\n  name: nodejs\n  options:\n    packagemanager: npm\n";
  put(template, "Pulumi.yaml", `name: \${PROJECT}\n${runtime}template:\n  description: A minimal program\n`);
  put(template, "index.ts", 'import * as pulumi from "@pulumi/pulumi";\n');
  const packageJson = {
    name: "${PROJECT}",
    main: "index.ts",
    devDependencies: { "@types/node": "^18", typescript: "^5.0.0" },
    dependencies: { "@pulumi/pulumi": "^3.113.0" },
  };
  put(template, "package.json", JSON.stringify(packageJson));
  const compilerOptions = {
    strict: true,
    outDir: "bin",
    target: "es2020",
    module: "commonjs",
    moduleResolution: "node",
  };
  put(template, "tsconfig.json", JSON.stringify({ compilerOptions, files: ["index.ts"] }));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: repository, stdio: "pipe" });
  git("init", "--quiet", "--initial-branch", "master");
  git("add", "--all");
  git("-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "--quiet", "--message", "Templates");
  return repository;
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port: free } = server.address() as AddressInfo;
      server.close(() => resolve(free));
    });
  });
}
