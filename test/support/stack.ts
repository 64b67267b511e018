import { spawn } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../../provider/src/emulator";
import { getEngine } from "../../tools/engine/engine";
import { pulumiEnvironment } from "../../tools/local";
import { copy, put, recordings, root, temporaryFolder } from "./files";

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

/** A project in a folder of its own, with a stack on the real engine. The package is the built one. */
export class Stack {
  private constructor(
    readonly folder: string,
    readonly env: NodeJS.ProcessEnv,
  ) {}

  /** Voices' audio lies ready as `a.wav`, `b.mp3` and `c.m4a`. */
  static async create(emulator: Emulator, settings: Record<string, string> = {}): Promise<Stack> {
    const folder = temporaryFolder();
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    put(folder, "package.json", JSON.stringify({ name: "program", main: "index.js" }));
    put(folder, "Pulumi.yaml", "name: program\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n");
    copy(recordings.wav, folder, "a.wav");
    copy(recordings.mp3, folder, "b.mp3");
    copy(recordings.m4a, folder, "c.m4a");

    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(CLOUDVOICE_|PULUMI_)/.test(name)));
    const env = { ...clean, ...pulumiEnvironment(await getEngine(), join(folder, ".local")) };
    const stack = new Stack(folder, { ...env, CLOUDVOICE_BASE_URL: emulator.url, CLOUDVOICE_API_KEY: emulator.apiKey, XDG_STATE_HOME: join(folder, ".state"), ...settings });
    const made = await stack.pulumi("stack", "init", "dev");
    if (made.code !== 0) throw new Error(made.output);
    return stack;
  }

  /** The program: what stands behind `const { CloudVoice, … } = require("pulumi-cloudvoice")`. */
  program(body: string): this {
    put(this.folder, "index.js", `const pulumi = require("@pulumi/pulumi");\nconst cv = require("pulumi-cloudvoice");\nconst model = "svc3-tts-vc-2026-01-22";\n${body}\n`);
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

function takesColor(args: string[]): boolean {
  return args[0] !== "version";
}

/** How often the run's closing diagnostics say this; the engine shows each line once more while it runs. */
export function said(run: Run, text: string): number {
  const diagnostics = run.output.slice(run.output.indexOf("Diagnostics:"));
  return diagnostics.split(text).length - 1;
}

/** How many resources the run's summary says were treated so: `created`, `updated`, `replaced`, `deleted`, `unchanged`. */
export function counted(run: Run, what: string): number {
  return Number(new RegExp(`(\\d+) (?:to )?${what}`).exec(run.output)?.[1] ?? 0);
}
