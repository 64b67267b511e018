import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { z } from "zod";
import { describeThrown } from "./describe-thrown";
import { InputError } from "./errors";
import { engineVersion } from "./engine-version";
import { pulumiPath } from "./system-path";

export interface PulumiOptions {
  variables?: Record<string, string>;
  /** Default: the command may take any time. */
  timeoutMs?: number;
  /** Default: the working folder of this process. */
  cwd?: string;
  /** Default: `pulumi`, from the PATH or from Pulumi's own folder. */
  executable?: string;
}

export const howToInstallPulumi =
  `Get Pulumi with Node.js alone: \`npx pulumi@${engineVersion} version\`. Or install it: ` +
  "`curl -fsSL https://get.pulumi.com | sh` on Linux, `brew install pulumi/tap/pulumi` on macOS, " +
  "`winget install pulumi` on Windows, or see https://www.pulumi.com/docs/install/.";

const howToLogIn =
  "With the emulator, run the command by `npx --no-install pulumi-cloudvoice dev -- …`. " +
  "With an account, set PULUMI_BACKEND_URL or run `pulumi login`.";

/** Runs the Pulumi command line with the environment of this process. `failure`: why the command failed, if it did. */
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
        // Workaround: with the state in PostgreSQL, Pulumi 3.200 opens two connections for each core, and `stack ls`
        // waits for ever when it reads more stacks than that at the same time.
        PULUMI_DIY_BACKEND_PARALLEL: "1",
        ...variables,
      },
    });
    return { stdout };
  } catch (error) {
    const { stdout = "", stderr = "", killed } = error as { stdout?: string; stderr?: string; killed?: boolean };
    return { stdout, failure: `\`pulumi ${args.join(" ")}\` failed: ${reasonOf(error, stderr, killed, timeoutMs)}` };
  }
}

/**
 * The engine takes any option of any command from a variable, for example `--json` from PULUMI_OPTION_JSON. Such
 * variables are meant for a person's own commands. Here they would change the output, or the resources in the preview.
 */
function withoutOptions(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^PULUMI_OPTION_/i.test(name)));
}

/** Runs a command that prints JSON of this form. Rejects if it fails, or prints something else. */
export async function pulumiJson<T>(args: string[], form: z.ZodType<T>, options?: PulumiOptions): Promise<T> {
  const { stdout, failure } = await runPulumi(args, options);
  if (failure !== undefined) throw new InputError(failure);
  try {
    return form.parse(JSON.parse(stdout));
  } catch (error) {
    if (error instanceof InputError) throw error;
    // The output may contain secrets, so neither the output nor the parser's message is shown.
    throw new InputError(`\`pulumi ${args.join(" ")}\` printed something that this release does not understand`);
  }
}

function reasonOf(error: unknown, stderr: string, killed: boolean | undefined, timeoutMs: number | undefined): string {
  const { code, message } = describeThrown(error);
  if (code === "ENOENT")
    return `pulumi is not installed, or it is neither in PATH nor in $PULUMI_HOME/versions. ${howToInstallPulumi}`;
  if (killed === true && timeoutMs !== undefined) return `it did not end within ${timeoutMs / 1000} s`;
  if (stderr.includes("PULUMI_ACCESS_TOKEN must be set")) return `Pulumi is not logged in to a backend. ${howToLogIn}`;
  return stderr.trim() || message;
}
