import pLimit from "p-limit";
import * as z from "zod";
import { pulumiJson, type PulumiOptions, runPulumi } from "../../run-pulumi";
import { InputError } from "../../errors";
import { partsOf } from "../../rules/resource-types";
import { exportedStack, stateOf } from "./state";
import type { StateReader } from "./states";

const stackList = z.array(z.object({ name: z.string() }));
const options: PulumiOptions = {
  timeoutMs: 60_000,
  variables: {
    // These commands are short: garbage collection takes a fifth of their CPU, and few states fill 256 MB.
    GOGC: process.env.GOGC ?? "400",
    GOMEMLIMIT: process.env.GOMEMLIMIT ?? "256MiB",
    // Otherwise Pulumi 3.259 copies log lines of these commands into its own log.
    PULUMI_LOG_OTLP_ENDPOINT: "",
  },
};
/** Workaround: Pulumi shortens names of stacks. In another organization, a short name means another stack. */
const fullNamesFlag = "--fully-qualify-stack-names";

/** Reads states by the Pulumi command line, which can also read a stack that an update has locked. */
export function pulumiStates(): StateReader & { withSecrets: StateReader["stack"] } {
  // An organization may have hundreds of stacks, and each command takes tens of megabytes of memory.
  const limit = pLimit(4);
  const runJson = <T>(args: string[], schema: z.ZodType<T>) => limit(() => pulumiJson(args, schema, options));
  const exportStack = async (name: string, ...flags: string[]) =>
    stateOf(name, await runJson(["stack", "export", "--stack", name, ...flags], exportedStack));
  return {
    stack: exportStack,
    withSecrets: (name) => exportStack(name, "--show-secrets"),
    allStacks: async () =>
      (await runJson(["stack", "ls", "--json", "--all", fullNamesFlag], stackList)).map(({ name }) => name),
  };
}

const whoAmI = z.object({ url: z.string() });

/** The address of the backend that Pulumi uses in this folder. As in the engine, PULUMI_BACKEND_URL takes precedence. */
export async function backendUrl(): Promise<string> {
  const url = process.env.PULUMI_BACKEND_URL;
  return url ? url : (await pulumiJson(["whoami", "--verbose", "--json"], whoAmI)).url;
}

/** The full name of the stack `named`, or of the selected one. Undefined without a project or a selected stack. */
export async function fullStackName(named?: string): Promise<string | undefined> {
  if (named !== undefined && partsOf(named).organization !== undefined) return named;
  const filters = named === undefined ? [] : ["--stack", named];
  const { stdout, failure } = await runPulumi(["stack", "--show-name", fullNamesFlag, ...filters]);
  if (failure !== undefined && named !== undefined) throw new InputError(failure);
  return failure === undefined ? stdout.trim() || undefined : undefined;
}
