import { spawn } from "node:child_process";
import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Emulator } from "../provider/emulator";
import { once } from "../provider/src/once";
import { endOf, type Run } from "./end-of";
import type { ProgramName } from "./engine/build";
import { type Engine, getEngine, getProgram } from "./engine/engine";
import { pulumiEnvironment, root } from "./local";
import { writeNewStack } from "./new-stack";

export type { Run };

interface Deployment {
  resources?: StateResource[];
}

interface StateResource {
  type: string;
  urn: string;
  id?: string;
  inputs?: Record<string, unknown>;
  outputs?: Record<string, unknown>;
  dependencies?: string[];
  delete?: boolean;
}

export interface StackOptions {
  /** Additional environment variables. */
  settings?: Record<string, string>;
  /** The `node_modules` folder to link to. Default: the repository's. */
  modules?: string;
  /** Whether programs load the classes of the native plugin. */
  native?: boolean;
  /** The name of the stack. Default: `dev`. */
  name?: string;
  /** The language host, if it is not that of Node.js. */
  host?: ProgramName;
  /** Default: the one that is installed or cached. */
  engine?: Engine;
}

/** A Pulumi project with one stack, run by the real engine, with the built package (`npm run build`). */
export class Stack {
  /** Called when a run begins. The returned function is called at its end: tests check what holds for every run. */
  static watch: (stack: Stack, args: string[]) => (run: Run) => void = () => () => undefined;

  private constructor(
    readonly folder: string,
    readonly env: NodeJS.ProcessEnv,
    /** Whether programs load the classes of the native plugin. */
    private readonly native: boolean,
  ) {}

  /** Creates a project and a stack in an empty folder, with recordings as `a.wav`, `b.mp3` and `c.m4a`. */
  static async in(
    folder: string,
    emulator: Pick<Emulator, "url" | "apiKey">,
    { modules = join(root, "node_modules"), ...options }: StackOptions = {},
  ): Promise<Stack> {
    symlinkSync(modules, join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "program", main: "index.js" }));
    Stack.writeProject(folder, "program", options);
    putRecordings(folder);
    return Stack.of(folder, emulator, options);
  }

  /** Writes the file of a project whose program is in JavaScript. JSON is YAML too. */
  static writeProject(
    folder: string,
    name: string,
    { native = false, plugin = native ? join(root, "provider", "plugin") : "" }: { native?: boolean; plugin?: string },
  ): void {
    const runtime = { name: "nodejs", options: { typescript: false } };
    const plugins = { providers: [{ name: "cloudvoice", path: plugin }] };
    const project = { name, runtime, ...(plugin !== "" && { plugins }) };
    writeFileSync(join(folder, "Pulumi.yaml"), JSON.stringify(project, null, 2));
  }

  /** Creates a stack in the folder of an existing project. */
  static async of(
    folder: string,
    emulator: Pick<Emulator, "url" | "apiKey">,
    { settings = {}, name = "dev", host, engine: chosen, native = false }: Omit<StackOptions, "modules"> = {},
  ): Promise<Stack> {
    // Keeps out settings of the developer's environment and of a pipeline.
    const inherited = Object.fromEntries(
      Object.entries(process.env).filter(([variable]) => variable !== "CI" && !variable.startsWith("CLOUDVOICE_")),
    );
    const engine = chosen ?? (await usualEngine());
    const env = pulumiEnvironment(engine, join(folder, ".local"), inherited);
    if (host !== undefined) env.PATH = [env.PATH, getProgram(host, engine)].join(delimiter);
    const variables = {
      ...env,
      CLOUDVOICE_BASE_URL: emulator.url,
      CLOUDVOICE_API_KEY: emulator.apiKey,
      XDG_STATE_HOME: join(folder, ".state"),
      ...settings,
    };
    const stack = new Stack(folder, variables, native);
    const isLocal = !process.env.PULUMI_BACKEND_URL && stack.env.PULUMI_BACKEND_URL === env.PULUMI_BACKEND_URL;
    if (!isLocal || !writeNewStack(folder, name)) await stack.ok(stack.pulumi("stack", "init", name));
    return stack;
  }

  /** Writes the program. Its body can use `pulumi`, `cv` (this package) and `model` (a target model). */
  program(body: string): this {
    const header = [
      'const pulumi = require("@pulumi/pulumi");',
      `const cv = require("pulumi-cloudvoice${this.native ? "/native" : ""}");`,
      'const model = "svc3-tts-vc-2026-01-22";',
    ];
    writeFileSync(join(this.folder, "index.js"), [...header, body, ""].join("\n"));
    return this;
  }

  /** The same stack, with additional environment variables. */
  with(variables: Record<string, string>): Stack {
    return new Stack(this.folder, { ...this.env, ...variables }, this.native);
  }

  /**
   * The same stack on another machine: a clone of the project's files in an empty folder, another home, and the same
   * state, which must be in a shared backend.
   */
  async elsewhere(folder: string): Promise<Stack> {
    cpSync(this.folder, folder, { recursive: true, filter: (path) => !/[/\\]\.(local|state)$/.test(path) });
    const home = { HOME: join(folder, ".home"), PULUMI_HOME: join(folder, ".home", "pulumi") };
    const stack = new Stack(folder, { ...this.env, ...home, XDG_STATE_HOME: join(folder, ".state") }, this.native);
    await stack.ok(stack.pulumi("stack", "select", "dev"));
    return stack;
  }

  /** Sets these plain values and removes all others, like `pulumi config`, but without a run of Pulumi. */
  configure(values: Record<string, string>): void {
    const [name = ""] = readdirSync(this.folder).filter((file) => /^Pulumi\..+\.yaml$/.test(file));
    const file = join(this.folder, name);
    const salt = /^encryptionsalt: .*$/m.exec(readFileSync(file, "utf8"))?.[0] ?? "";
    // JSON is YAML too.
    writeFileSync(file, `${salt}\nconfig: ${JSON.stringify(values)}\n`);
  }

  up = (...args: string[]) => this.pulumi("up", "--yes", "--skip-preview", ...args);
  preview = (...args: string[]) => this.pulumi("preview", ...args);
  refresh = (...args: string[]) => this.pulumi("refresh", "--yes", "--skip-preview", ...args);
  destroy = (...args: string[]) => this.pulumi("destroy", "--yes", "--skip-preview", ...args);

  /** Waits for the run, and throws with its output if it failed. */
  async ok(run: Promise<Run>): Promise<Run> {
    const finished = await run;
    if (finished.code !== 0) throw new Error(`pulumi failed:\n${finished.output}`);
    return finished;
  }

  /** The state as `pulumi stack export` prints it. It is read from its file if the project's folder has one. */
  async state(): Promise<string> {
    const file = this.stateFile();
    if (file === undefined) return (await this.ok(this.pulumi("stack", "export"))).stdout;
    return JSON.stringify({ version: 3, deployment: read(file).checkpoint.latest ?? {} }, null, 4);
  }

  /** Replaces the state by one that was exported, as `pulumi stack import` does. */
  async setState(state: string): Promise<void> {
    const file = this.stateFile();
    if (file === undefined) {
      writeFileSync(join(this.folder, "imported.json"), state);
      await this.ok(this.pulumi("stack", "import", "--file", "imported.json"));
    } else {
      const saved = read(file);
      saved.checkpoint.latest = (JSON.parse(state) as { deployment: Deployment }).deployment;
      writeFileSync(file, JSON.stringify(saved));
    }
  }

  /** The resources of this package in the state. */
  async resources(): Promise<StateResource[]> {
    return (await this.allResources()).filter(({ type }) => type.includes("cloudvoice:"));
  }

  /** What the program exports, as the state has it: a secret is encrypted. */
  async outputs(): Promise<Record<string, unknown>> {
    return (await this.allResources()).find(({ type }) => type === "pulumi:pulumi:Stack")?.outputs ?? {};
  }

  private async allResources(): Promise<StateResource[]> {
    const { deployment } = JSON.parse(await this.state()) as { deployment: Deployment };
    return deployment.resources ?? [];
  }

  /** The state's file, if the project's folder has only this stack. Reading it saves a run of Pulumi. */
  private stateFile(): string | undefined {
    const stacks = join(this.folder, ".local", "state", ".pulumi", "stacks");
    if (!existsSync(stacks)) return undefined;
    const files = readdirSync(stacks, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));
    return files.length === 1 && files[0] !== undefined ? join(stacks, files[0]) : undefined;
  }

  pulumi(...args: string[]): Promise<Run> {
    return this.start(args).done;
  }

  start(args: string[]) {
    const ended = Stack.watch(this, args);
    const child = spawn("pulumi", [...args, "--non-interactive", ...(acceptsColor(args) ? ["--color", "never"] : [])], {
      cwd: this.folder,
      env: this.env,
      stdio: ["ignore", "pipe", "pipe"],
      // Leads a process group, so that a test can kill the process together with its children.
      detached: true,
    });
    const done = endOf(child).then((run) => {
      ended(run);
      return run;
    });
    return { child, done };
  }
}

/** The engine. Looked for once, because that takes a run of Pulumi. */
const usualEngine = once(() => getEngine());

const read = (file: string) => JSON.parse(readFileSync(file, "utf8")) as { checkpoint: { latest?: Deployment } };

/** Copies recordings of speech into the folder, as `a.wav`, `b.mp3` and `c.m4a`. */
export function putRecordings(folder: string): void {
  const speech = join(root, "examples", "catalog", "audio");
  copyFileSync(join(speech, "narrator-en.wav"), join(folder, "a.wav"));
  copyFileSync(join(speech, "narrator-de.mp3"), join(folder, "b.mp3"));
  copyFileSync(join(speech, "narrator-es.m4a"), join(folder, "c.m4a"));
}

function acceptsColor(args: string[]): boolean {
  return args[0] !== "version";
}
