import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, relative } from "node:path";
import { promisify } from "node:util";
import type { Emulator } from "../../provider/emulator";
import { pulumiEnvironment, root } from "../../tools/local";
import { getEngine } from "../../tools/engine/engine";
import { putRecordings } from "../../tools/stack";
import { emulate } from "../support/emulate";
import { temporaryFolder } from "../support/files";
import { fastStart, isNative } from "../support/stack";

/**
 * The states of a project are found in every layout: a voice that two stacks hold stays when one of them is destroyed.
 */

interface Layout {
  /** The field `main` of Pulumi.yaml. Default: the program is in the project's folder. */
  main?: string;
  /** `backend.url` of Pulumi.yaml, from the folder of the states. Default: PULUMI_BACKEND_URL names them. */
  backend?: (states: string, project: string) => string;
  /** Where Pulumi runs, and its options. Default: in the project's folder, without any. */
  runs?: (project: string, elsewhere: string) => { cwd: string; options?: string[] };
  /** Pulumi is called by its path, and is not in PATH. */
  byPath?: boolean;
  /** `pulumi login` names the states. */
  login?: boolean;
}

const layouts: Record<string, Layout> = {
  "main below the project, a relative backend in Pulumi.yaml, the executable by its path": {
    main: "dist/",
    backend: (states, project) => `file://./${relative(project, states)}`,
    byPath: true,
  },
  "main beside the project, a relative backend, --cwd": {
    main: "../../dist/apps/voices/",
    backend: (states, project) => `file://./${relative(project, states)}`,
    runs: (project, elsewhere) => ({ cwd: elsewhere, options: ["--cwd", project] }),
  },
  "main beside the project, a backend in the environment, the executable by its path, -C": {
    main: "../../dist/apps/voices/",
    byPath: true,
    runs: (project, elsewhere) => ({ cwd: elsewhere, options: ["-C", project] }),
  },
  "a backend in the home folder, a project behind a link": {
    backend: (states) => `file://~/${relative(homedir(), states)}`,
    runs: (project, elsewhere) => {
      symlinkSync(project, join(elsewhere, "linked"));
      return { cwd: join(elsewhere, "linked") };
    },
  },
  "main beside the project, logged in": { main: "../../dist/apps/voices/", login: true },
};

async function projectOf(emulator: Emulator, { main = ".", backend, runs, byPath = false, login = false }: Layout) {
  const folder = temporaryFolder();
  const [project, states, elsewhere] = [
    join(folder, "apps", "voices"),
    join(folder, "states"),
    join(folder, "elsewhere"),
  ];
  const program = join(project, main);
  for (const each of [project, states, elsewhere, program]) mkdirSync(each, { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  putRecordings(program);
  writeFileSync(join(program, "package.json"), JSON.stringify({ name: "program", main: "index.js" }));
  writeFileSync(
    join(program, "index.js"),
    `const cv = require("pulumi-cloudvoice${isNative() ? "/native" : ""}");
     new cv.CloudVoice("v", { targetModel: "svc3-tts-vc-2026-01-22", audio: "a.wav" });`,
  );
  const settings = {
    name: "program",
    runtime: { name: "nodejs", options: { typescript: false } },
    ...(main !== "." && { main }),
    ...(backend && { backend: { url: backend(states, project) } }),
    ...(isNative() && { plugins: { providers: [{ name: "cloudvoice", path: join(root, "provider", "plugin") }] } }),
  };
  writeFileSync(join(project, "Pulumi.yaml"), JSON.stringify(settings));
  const { folder: engine } = await getEngine();
  const {
    PULUMI_BACKEND_URL: _,
    CLOUDVOICE_FACE: __,
    ...inherited
  } = pulumiEnvironment({ folder: engine } as never, folder);
  const env: NodeJS.ProcessEnv = {
    ...inherited,
    ...fastStart,
    ...(backend || login ? {} : { PULUMI_BACKEND_URL: `file://${states}` }),
    CLOUDVOICE_BASE_URL: emulator.url,
    CLOUDVOICE_API_KEY: emulator.apiKey,
    CLOUDVOICE_SETTLE_SECONDS: "0.2",
    XDG_STATE_HOME: join(folder, ".state"),
  };
  if (byPath)
    env.PATH = (env.PATH ?? "")
      .split(delimiter)
      .filter((path) => path !== engine)
      .join(delimiter);
  const { cwd, options = [] } = runs?.(project, elsewhere) ?? { cwd: project };
  const pulumi = async (...args: string[]) => {
    const all = [...options, ...args, "--non-interactive"];
    const run = promisify(execFile)(join(engine, "pulumi"), all, { cwd, env });
    // Pulumi prints why it failed.
    const failed = (error: unknown) => Promise.reject(new Error((error as { stdout: string }).stdout));
    return (await run.catch(failed)).stdout;
  };
  if (login) await pulumi("login", `file://${states}`);
  return { pulumi, file: join(folder, "state.json") };
}

test.each(Object.entries(layouts))("%s: a destroy keeps the voice that another stack holds", async (_, layout) => {
  const emulator = await emulate();
  const { pulumi, file } = await projectOf(emulator, layout);
  await pulumi("stack", "init", "one");
  await pulumi("up", "--yes", "--skip-preview");
  await pulumi("stack", "export", "--file", file);
  await pulumi("stack", "init", "two");
  // As after `pulumi stack rename` that went wrong: two states with one voice.
  writeFileSync(file, readFileSync(file, "utf8").replaceAll("urn:pulumi:one::", "urn:pulumi:two::"));
  await pulumi("stack", "import", "--file", file);
  const said = await pulumi("destroy", "--yes", "--skip-preview", "--stack", "two");
  expect(emulator.voices()).toHaveLength(1);
  expect(said).toMatch(/still used by .*v of the stack organization\/program\/one/);
  await pulumi("destroy", "--yes", "--skip-preview", "--stack", "one");
  expect(emulator.voices()).toEqual([]);
});
