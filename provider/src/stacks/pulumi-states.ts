import pLimit from "p-limit";
import * as z from "zod";
import { once } from "../once";
import { pulumiJson, type PulumiOptions, runPulumi } from "../run-pulumi";
import { InputError } from "../errors";
import { backendIdentity } from "./backend";
import { engineProcess } from "./engine-process";
import { partsOf, UnknownStackError } from "./names";
import { nearestProjectFile } from "./project-file";
import { exportedStack, stateOf } from "./state";
import type { StateReader } from "./states";

const whoAmI = z.object({ url: z.string() });

/** Where Pulumi commands run. For an operation: in the folder of its engine. */
type Place = Pick<PulumiOptions, "cwd" | "executable">;

/** Identifies the backend that Pulumi uses in this folder. As in the engine, PULUMI_BACKEND_URL takes precedence. */
export async function backendAt({ cwd = process.cwd(), ...place }: Place = {}): Promise<string | undefined> {
  const url =
    process.env.PULUMI_BACKEND_URL ||
    (await pulumiJson(["whoami", "--verbose", "--json"], whoAmI, { ...options, ...place, cwd })).url;
  return backendIdentity(url, cwd);
}

/**
 * Where commands find the project and the backend of this operation: in the folder of its engine. If the system does
 * not show that folder, this process must run inside the project, or the environment must name the backend.
 */
export function placeOfEngine(engine = engineProcess()): Place {
  if (engine !== undefined) return { cwd: engine.folder, executable: engine.executable };
  if (process.env.PULUMI_BACKEND_URL || nearestProjectFile(process.cwd()) !== undefined) return {};
  throw new UnknownStackError(
    `the project of this operation was not found: there is no Pulumi.yaml in ${process.cwd()} or above it. ` +
      "Set PULUMI_BACKEND_URL to the backend of its states",
  );
}

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
export function pulumiStates(placeOf = (): Place => ({})): StateReader & { withSecrets: StateReader["stack"] } {
  // An organization may have hundreds of stacks, and each command takes tens of megabytes of memory.
  const limit = pLimit(4);
  const place = once(placeOf);
  const runJson = <T>(args: string[], schema: z.ZodType<T>) =>
    limit(() => pulumiJson(args, schema, { ...options, ...place() }));
  const names = async (...filters: string[]) =>
    (await runJson(["stack", "ls", "--json", ...filters, fullNamesFlag], stackList)).map(({ name }) => name);
  const exportStack = async (name: string, ...flags: string[]) =>
    stateOf(name, await runJson(["stack", "export", "--stack", name, ...flags], exportedStack));
  return {
    organization: /^(file|s3|azblob|gs|postgres):/.test(process.env.PULUMI_BACKEND_URL ?? "")
      ? "organization"
      : undefined,
    stack: exportStack,
    withSecrets: (name) => exportStack(name, "--show-secrets"),
    stacks: (project) => names(...(project === undefined ? [] : ["--project", project])),
    allStacks: () => names("--all"),
    backend: async () => backendAt(place()),
  };
}

/** The full name of the stack `named`, or of the selected one. Undefined without a project or a selected stack. */
export async function fullStackName(named?: string): Promise<string | undefined> {
  if (named !== undefined && partsOf(named).organization !== undefined) return named;
  const filters = named === undefined ? [] : ["--stack", named];
  const { stdout, failure } = await runPulumi(["stack", "--show-name", fullNamesFlag, ...filters]);
  if (failure !== undefined && named !== undefined) throw new InputError(failure);
  return failure === undefined ? stdout.trim() || undefined : undefined;
}
