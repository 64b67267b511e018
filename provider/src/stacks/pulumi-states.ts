import pLimit from "p-limit";
import * as z from "zod";
import { pulumiJson, type PulumiOptions, runPulumi } from "../run-pulumi";
import { InputError } from "../errors";
import { backendIdentity } from "./backend";
import { partsOf } from "./names";
import { exportedStack, stateOf } from "./state";
import type { StateReader } from "./states";

const whoAmI = z.object({ url: z.string() });

/** Identifies the backend that the command line uses here. */
export async function backendHere(): Promise<string | undefined> {
  return backendIdentity((await pulumiJson(["whoami", "--verbose", "--json"], whoAmI, options)).url);
}

const stackList = z.array(z.object({ name: z.string() }));
const options: PulumiOptions = {
  timeoutMs: 60_000,
  variables: {
    // These commands are short: garbage collection takes a fifth of their CPU, and few states fill 256 MB.
    GOGC: process.env.GOGC ?? "400",
    GOMEMLIMIT: process.env.GOMEMLIMIT ?? "256MiB",
    // Pulumi 3.259 takes the log lines of all that its plugins start into its own log.
    PULUMI_LOG_OTLP_ENDPOINT: "",
  },
};
/** An organization may have hundreds of stacks, and each command takes tens of megabytes of memory. */
const concurrentCommands = 4;

/** Workaround: Pulumi shortens the names of stacks, and a short name means another stack in another organization. */
const fullNames = "--fully-qualify-stack-names";

/**
 * Asks the Pulumi command line. It may read the state of a stack while an update of that stack holds its lock. The
 * provider process has the environment and the working folder of the program, and so the same backend.
 */
export function pulumiStates(): StateReader & { withSecrets: StateReader["stack"] } {
  const limit = pLimit(concurrentCommands);
  const names = async (...which: string[]) => {
    const args = ["stack", "ls", "--json", ...which, fullNames];
    return (await limit(() => pulumiJson(args, stackList, options))).map(({ name }) => name);
  };
  const stack = async (name: string, ...flags: string[]) => {
    const args = ["stack", "export", "--stack", name, ...flags];
    return stateOf(name, await limit(() => pulumiJson(args, exportedStack, options)));
  };
  return {
    organization: /^(file|s3|azblob|gs|postgres):/.test(process.env.PULUMI_BACKEND_URL ?? "")
      ? "organization"
      : undefined,
    stack: (name) => stack(name),
    withSecrets: (name) => stack(name, "--show-secrets"),
    stacks: (project) => names(...(project === undefined ? [] : ["--project", project])),
    allStacks: () => names("--all"),
    backend: backendHere,
  };
}

/**
 * The full name of the stack that the user named, or else of the selected one. Undefined without a project, or if no
 * stack is selected.
 */
export async function fullStackName(named?: string): Promise<string | undefined> {
  if (named !== undefined && partsOf(named).organization !== undefined) return named;
  const which = named === undefined ? [] : ["--stack", named];
  const { stdout, failure } = await runPulumi(["stack", "--show-name", fullNames, ...which]);
  if (failure !== undefined && named !== undefined) throw new InputError(failure);
  return failure === undefined ? stdout.trim() || undefined : undefined;
}
