import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import type { z } from "zod";
import { describeThrown } from "./describe-thrown";
import { InputError } from "./errors";
import { shellQuoted, visible } from "./rules/visible";
import { pulumiPath, withPulumi } from "./system-path";
import { constants } from "node:os";

/** The version of Pulumi that the tests use, and that messages and pages name. Its sources: `tools/engine/cli`. */
export const engineVersion = "3.259.0" as const;

export interface PulumiOptions {
  variables?: Record<string, string>;
  /** Default: no time-out. */
  timeoutMs?: number;
  /** Default: the working folder of this process. */
  cwd?: string;
  /** Default: `pulumi`, from the PATH or from Pulumi's own folder. */
  executable?: string;
}

export const howToInstallPulumi =
  `Get Pulumi with Node.js alone: \`npx --yes pulumi@${shellQuoted(engineVersion)} version\`. Or install it: ` +
  "`curl -fsSL https://get.pulumi.com | sh` on Linux, `brew install pulumi/tap/pulumi` on macOS, " +
  "`winget install pulumi` on Windows, or see https://www.pulumi.com/docs/install/.";

const howToLogIn =
  "With the emulator, run the command by `npx --no-install pulumi-cloudvoice dev -- …`. " +
  "With an account, set PULUMI_BACKEND_URL or run `pulumi login`.";

/** Runs Pulumi with the environment of this process. `failure`: why the command failed. */
export async function runPulumi(
  args: string[],
  { variables, timeoutMs, cwd, executable = "pulumi" }: PulumiOptions = {},
): Promise<{ stdout: string; failure?: string }> {
  try {
    const { stdout } = await promisify(execFile)(executable, [...args, "--non-interactive"], {
      cwd,
      maxBuffer: 1024 * 1024 * 1024,
      ...(timeoutMs !== undefined && { timeout: timeoutMs }),
      env: {
        ...withoutOptions(process.env),
        PATH: pulumiPath(),
        PULUMI_SKIP_UPDATE_CHECK: "true",
        PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "false",
        // `refresh --preview-only` fails with `true`.
        PULUMI_SKIP_CONFIRMATIONS: "false",
        // Workaround: with states in PostgreSQL, Pulumi 3.200 opens two connections for each core, and `stack ls` hangs
        // if it reads more stacks at once than it has connections.
        PULUMI_DIY_BACKEND_PARALLEL: "1",
        ...variables,
      },
    });
    return { stdout };
  } catch (error) {
    const { stdout = "", stderr = "", killed } = error as { stdout?: string; stderr?: string; killed?: boolean };
    return { stdout, failure: `${commandLine(args)} failed: ${reasonOf(error, stderr, killed, timeoutMs)}` };
  }
}

/**
 * The environment without the variables PULUMI_OPTION_*, which change the output. Pulumi 3.259 panics with
 * PULUMI_OPTION_PARALLEL.
 */
export function withoutOptions(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isPulumiOption(name)));
}

/**
 * Throws if a variable changes the outcome of `pulumi up`, because this package does not read these variables. E.g.
 * with PULUMI_OPTION_CONFIG_FILE, an update uses other settings than its review, and may delete a voice that the review
 * keeps.
 */
export function assertNoOutcomeOptions(environment: NodeJS.ProcessEnv): void {
  const names = outcomeOptions(environment);
  if (names.length === 0) return;
  const [are, them] = names.length === 1 ? ["is", "it"] : ["are", "them"];
  throw new InputError(
    `${names.map(visible).join(", ")} ${are} set, so \`pulumi up\` could do something that this command can't see. Unset ${them}. ` +
      "For one run, give the option to Pulumi itself: " +
      "`CLOUDVOICE_PLAN=1 pulumi preview --json --show-sames --target … | pulumi-cloudvoice review - --stack …`.",
  );
}

/** Runs a Pulumi command that prints JSON of this schema. Rejects if the command fails, or prints anything else. */
export async function pulumiJson<T>(args: string[], schema: z.ZodType<T>, options?: PulumiOptions): Promise<T> {
  const { stdout, failure } = await runPulumi(args, options);
  if (failure !== undefined) throw new InputError(failure);
  try {
    return schema.parse(JSON.parse(stdout));
  } catch {
    // The output may contain secrets, so neither the output nor the parser's message is shown.
    throw new InputError(`${commandLine(args)} printed something that this release does not understand`);
  }
}

const commandLine = (args: string[]) => `\`pulumi ${args.map(shellQuoted).join(" ")}\``;

function reasonOf(error: unknown, stderr: string, killed: boolean | undefined, timeoutMs: number | undefined): string {
  const { code, message } = describeThrown(error);
  if (code === "ENOENT")
    return `\`pulumi\` is not installed, or it is neither in PATH nor in $PULUMI_HOME/versions. ${howToInstallPulumi}`;
  if (killed === true && timeoutMs !== undefined) return `it did not end within ${timeoutMs / 1000} s`;
  if (stderr.includes("PULUMI_ACCESS_TOKEN must be set")) return `Pulumi is not logged in to a backend. ${howToLogIn}`;
  return stderr.trim() || message;
}

/**
 * Options that only change the printed output, or that a pipeline sets anyway. The commands of this package ignore
 * them. Pulumi also reads each option from a variable: `--target` from PULUMI_OPTION_TARGET.
 */
const harmlessOptions = new Set([
  ...["COLOR", "DEBUG", "DIFF", "EMOJI", "EVENT_LOG", "FULLY_QUALIFY_STACK_NAMES", "JSON", "LOGFLOW", "LOGTOSTDERR"],
  ...["MEMPROFILERATE", "NON_INTERACTIVE", "OTEL_TRACES", "PARALLEL", "PROFILING", "SHOW_CONFIG", "SHOW_FULL_OUTPUT"],
  ...["SHOW_POLICY_REMEDIATIONS", "SHOW_READS", "SHOW_REPLACEMENT_STEPS", "SHOW_SAMES", "SHOW_SECRETS"],
  ...["SKIP_PREVIEW", "SUPPRESS_OUTPUTS", "SUPPRESS_PERMALINK", "SUPPRESS_PROGRESS", "TRACING", "VERBOSE", "YES"],
]);

const option = /^PULUMI_OPTION_/i;

export function isPulumiOption(variable: string): boolean {
  return option.test(variable);
}

/** The variables that change what an update does, e.g. PULUMI_OPTION_CONFIG_FILE. Unknown options count too. */
export function outcomeOptions(environment: Record<string, string | undefined>): string[] {
  return Object.keys(environment)
    .filter((name) => isPulumiOption(name) && !harmlessOptions.has(name.replace(option, "").toUpperCase()))
    .sort();
}

/**
 * Runs a command on this terminal, and returns the command's exit code. Passes signals on to the command, because the
 * runner of a pipeline signals only this process.
 */
export function runCommand([name = "", ...args]: string[], variables = process.env): Promise<number> {
  // Commands other than `pulumi`, e.g. `npm test`, may run Pulumi too.
  const env = { ...variables, PATH: name === "pulumi" ? pulumiPath() : withPulumi(variables.PATH ?? "") };
  const child = spawn(name, args, { stdio: "inherit", env });
  const hasTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the command too. If SIGINT came twice, Pulumi would stop without a clean end.
      if (signal !== "SIGINT" || !hasTerminal) child.kill(signal);
    });
  return new Promise((resolveCode, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      const install = name === "pulumi" ? ` ${howToInstallPulumi}` : "";
      const hint = name.startsWith("-") ? " Put options of dev before --." : install;
      reject(error.code === "ENOENT" ? new InputError(`The command ${name} was not found on the PATH.${hint}`) : error);
    });
    child.once("exit", (code, signal) => resolveCode(code ?? 128 + (signal === null ? 1 : constants.signals[signal])));
  });
}
