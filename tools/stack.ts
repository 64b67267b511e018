import { spawn } from "node:child_process";
import { copyFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../provider/src/emulator";
import { getEngine } from "./engine/engine";
import { pulumiEnvironment, root } from "./local";

export interface Run {
  code: number;
  /** Everything printed, both streams in the order it came. */
  output: string;
  /** Standard output alone. */
  stdout: string;
}

interface StateResource {
  type: string;
  urn: string;
  id?: string;
  inputs?: Record<string, unknown>;
  outputs?: Record<string, unknown>;
}

export interface StackOptions {
  /** Variables of its environment. */
  settings?: Record<string, string>;
  /** Where its packages are. Default: the repository's. */
  modules?: string;
  /** Default: `dev`. */
  name?: string;
}

/** A project in a folder of its own, with a stack on the real engine. The package is the built one. */
export class Stack {
  private constructor(
    readonly folder: string,
    readonly env: NodeJS.ProcessEnv,
  ) {}

  /** In an empty folder, which becomes a project. Voices' audio lies ready as `a.wav`, `b.mp3` and `c.m4a`. */
  static async in(
    folder: string,
    emulator: Pick<Emulator, "url" | "apiKey">,
    { modules = join(root, "node_modules"), ...options }: StackOptions = {},
  ): Promise<Stack> {
    symlinkSync(modules, join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "program", main: "index.js" }));
    writeFileSync(
      join(folder, "Pulumi.yaml"),
      "name: program\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n",
    );
    putRecordings(folder);
    return Stack.of(folder, emulator, options);
  }

  /** Of a project that is there. */
  static async of(
    folder: string,
    emulator: Pick<Emulator, "url" | "apiKey">,
    { settings = {}, name = "dev" }: Omit<StackOptions, "modules"> = {},
  ): Promise<Stack> {
    const clean = Object.fromEntries(
      Object.entries(process.env).filter(([variable]) => !/^(CLOUDVOICE_|PULUMI_)/.test(variable)),
    );
    const env = { ...clean, ...pulumiEnvironment(await getEngine(), join(folder, ".local")) };
    const stack = new Stack(folder, {
      ...env,
      CLOUDVOICE_BASE_URL: emulator.url,
      CLOUDVOICE_API_KEY: emulator.apiKey,
      XDG_STATE_HOME: join(folder, ".state"),
      ...settings,
    });
    const made = await stack.pulumi("stack", "init", name);
    if (made.code !== 0) throw new Error(made.output);
    return stack;
  }

  /** The program: what stands behind `const { CloudVoice, … } = require("pulumi-cloudvoice")`. */
  program(body: string): this {
    writeFileSync(
      join(this.folder, "index.js"),
      `const pulumi = require("@pulumi/pulumi");\nconst cv = require("pulumi-cloudvoice");\nconst model = "svc3-tts-vc-2026-01-22";\n${body}\n`,
    );
    return this;
  }

  /** The same stack with other variables in its environment. */
  with(variables: Record<string, string>): Stack {
    return new Stack(this.folder, { ...this.env, ...variables });
  }

  up = (...args: string[]) => this.pulumi("up", "--yes", "--skip-preview", ...args);
  preview = (...args: string[]) => this.pulumi("preview", ...args);
  refresh = (...args: string[]) => this.pulumi("refresh", "--yes", "--skip-preview", ...args);
  destroy = (...args: string[]) => this.pulumi("destroy", "--yes", "--skip-preview", ...args);

  /** The run must succeed. */
  async ok(run: Promise<Run>): Promise<Run> {
    const done = await run;
    if (done.code !== 0) throw new Error(`pulumi failed:\n${done.output}`);
    return done;
  }

  async state(): Promise<string> {
    return (await this.ok(this.pulumi("stack", "export"))).stdout;
  }

  /** The resources of this package in the state. */
  async resources(): Promise<StateResource[]> {
    const { deployment } = JSON.parse(await this.state()) as { deployment: { resources?: StateResource[] } };
    return (deployment.resources ?? []).filter((resource) => resource.type.includes("cloudvoice:"));
  }

  pulumi(...args: string[]): Promise<Run> {
    return this.start(args).done;
  }

  start(args: string[]) {
    const child = spawn("pulumi", [...args, "--non-interactive", ...(takesColor(args) ? ["--color", "never"] : [])], {
      cwd: this.folder,
      env: this.env,
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, so that it can be killed with all its children.
      detached: true,
    });
    let output = "";
    let stdout = "";
    child.stdout.on("data", (data: Buffer) => {
      output += data.toString();
      stdout += data.toString();
    });
    child.stderr.on("data", (data: Buffer) => (output += data.toString()));
    const done = new Promise<Run>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve({ code: code ?? -1, output, stdout }));
    });
    return { child, done };
  }
}

/** Real speech, as `a.wav`, `b.mp3` and `c.m4a`. */
export function putRecordings(folder: string): void {
  const speech = join(root, "examples", "catalog", "audio");
  copyFileSync(join(speech, "narrator-en.wav"), join(folder, "a.wav"));
  copyFileSync(join(speech, "narrator-de.mp3"), join(folder, "b.mp3"));
  copyFileSync(join(speech, "narrator-es.m4a"), join(folder, "c.m4a"));
}

function takesColor(args: string[]): boolean {
  return args[0] !== "version";
}
