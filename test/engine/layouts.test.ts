import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, relative } from "node:path";
import { promisify } from "node:util";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { getEngine } from "../../tools/engine/engine";
import { put, root, temporaryFolder } from "../support/files";
import { Stack } from "../support/stack";

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

let emulator: Emulator;
let made: Stack;
beforeAll(async () => {
  emulator = await startEmulator();
  made = await Stack.create(emulator);
  await made.ok(made.program('new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" });').up());
});
afterAll(() => emulator.close());

/** A project in this layout, with two stacks that hold one voice, as after `pulumi stack rename` that went wrong. */
function projectOf({ main = ".", backend }: Layout) {
  const folder = temporaryFolder();
  const [project, states, elsewhere] = ["apps/voices", "states", "elsewhere"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [join(project, main), elsewhere]) mkdirSync(each, { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const settings = JSON.parse(readFileSync(join(made.folder, "Pulumi.yaml"), "utf8")) as object;
  const more = { ...(main !== "." && { main }), ...(backend && { backend: { url: backend(states, project) } }) };
  put(project, "Pulumi.yaml", JSON.stringify({ ...settings, ...more }));
  for (const name of ["index.js", "package.json", "a.wav"]) cpSync(join(made.folder, name), join(project, main, name));

  cpSync(join(made.folder, ".local", "state"), states, { recursive: true });
  const stacks = join(states, ".pulumi", "stacks", "program");
  const state = readFileSync(join(stacks, "dev.json"), "utf8");
  for (const stack of ["one", "two"]) {
    const renamed = state
      .replaceAll("urn:pulumi:dev::", `urn:pulumi:${stack}::`)
      .replaceAll("program/dev", `program/${stack}`);
    writeFileSync(join(stacks, `${stack}.json`), renamed);
    cpSync(join(made.folder, "Pulumi.dev.yaml"), join(project, `Pulumi.${stack}.yaml`));
  }
  return { project, states, elsewhere };
}

test.each(Object.entries(layouts))("%s: a destroy keeps the voice that another stack holds", async (_, layout) => {
  const { project, states, elsewhere } = projectOf(layout);
  const { folder: engine } = await getEngine();
  const { PULUMI_BACKEND_URL: __, ...inherited } = made.env;
  const env: NodeJS.ProcessEnv = { ...inherited, PULUMI_HOME: join(elsewhere, "home") };
  if (layout.backend === undefined && !layout.login) env.PULUMI_BACKEND_URL = `file://${states}`;
  if (layout.byPath)
    env.PATH = (env.PATH ?? "")
      .split(delimiter)
      .filter((path) => path !== engine)
      .join(delimiter);
  const { cwd, options = [] } = layout.runs?.(project, elsewhere) ?? { cwd: project };
  const pulumi = (...args: string[]) =>
    promisify(execFile)(join(engine, "pulumi"), [...options, ...args, "--non-interactive"], { cwd, env });
  if (layout.login) await pulumi("login", `file://${states}`);
  const { stdout } = await pulumi("destroy", "--yes", "--skip-preview", "--stack", "two");
  expect(stdout).toMatch(/still used by .*v of the stack organization\/program\/one/);
  expect(emulator.voices()).toHaveLength(1);
});
