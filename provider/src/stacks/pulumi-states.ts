import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import pLimit from "p-limit";
import * as z from "zod";
import { describeThrown } from "../describe-thrown";
import { once } from "../once";
import { pulumiJson, type PulumiOptions, runPulumi } from "../run-pulumi";
import { InputError } from "../errors";
import { backendIdentity } from "./backend";
import { engineProcess } from "./engine-process";
import { partsOf, UnknownStackError } from "./names";
import { exportedStack, HiddenVoicesError, type StackState, stateOf } from "./state";
import type { StateReader } from "./states";

const whoAmI = z.object({ url: z.string() });

/** The working folder of the command line. For an operation, that of its engine. */
type Place = Pick<PulumiOptions, "cwd" | "executable">;

/** Identifies the backend that the command line uses in this folder. The variable comes first, as in the engine. */
export async function backendAt({ cwd = process.cwd(), ...place }: Place = {}): Promise<string | undefined> {
  const url =
    process.env.PULUMI_BACKEND_URL ||
    (await pulumiJson(["whoami", "--verbose", "--json"], whoAmI, { ...options, ...place, cwd })).url;
  return backendIdentity(url, cwd);
}

/**
 * The working folder of this operation's engine, so that commands find the same project and backend. On a system that
 * does not show it, this process must run inside the project, or the environment must name the backend.
 */
export function placeOfEngine(engine = engineProcess()): Place {
  if (engine !== undefined) return { cwd: engine.folder, executable: engine.executable };
  if (process.env.PULUMI_BACKEND_URL || hasProject(process.cwd())) return {};
  throw new UnknownStackError(
    `the project of this operation can't be found from ${process.cwd()}, where its program is. ` +
      "Set PULUMI_BACKEND_URL to the backend of its states",
  );
}

function hasProject(folder: string): boolean {
  if (["yaml", "yml", "json"].some((ending) => existsSync(join(folder, `Pulumi.${ending}`)))) return true;
  return dirname(folder) !== folder && hasProject(dirname(folder));
}

const stackList = z.array(z.object({ name: z.string() }));
const options: PulumiOptions = {
  timeoutMs: 60_000,
  variables: {
    // These commands are short: garbage collection takes a fifth of their CPU, and few states fill 256 MB.
    GOGC: process.env.GOGC ?? "400",
    GOMEMLIMIT: process.env.GOMEMLIMIT ?? "256MiB",
    // Pulumi 3.259 copies the log lines of its child processes into its own log.
    PULUMI_LOG_OTLP_ENDPOINT: "",
  },
};
/** An organization may have hundreds of stacks, and each command takes tens of megabytes of memory. */
const concurrentCommands = 4;

/** Workaround: Pulumi shortens the names of stacks, and a short name means another stack in another organization. */
const fullNames = "--fully-qualify-stack-names";

/** Asks the Pulumi command line. It may read the state of a stack while an update of that stack holds its lock. */
export function pulumiStates(placeOf = (): Place => ({})): StateReader & { withSecrets: StateReader["stack"] } {
  const limit = pLimit(concurrentCommands);
  const place = once(placeOf);
  const asked = <T>(args: string[], form: z.ZodType<T>) =>
    limit(() => pulumiJson(args, form, { ...options, ...place() }));
  const names = async (...which: string[]) => {
    return (await asked(["stack", "ls", "--json", ...which, fullNames], stackList)).map(({ name }) => name);
  };
  const exported = async (name: string, ...flags: string[]) => {
    return stateOf(name, await asked(["stack", "export", "--stack", name, ...flags], exportedStack));
  };
  const withSecrets = (name: string) => exported(name, "--show-secrets");
  const stack = async (name: string): Promise<StackState> => {
    try {
      const state = await exported(name);
      return state.hidesNames ? await withSecrets(name).catch(() => state) : state;
    } catch (error) {
      if (!(error instanceof HiddenVoicesError)) throw error;
      return withSecrets(name).catch((cause: unknown) => {
        const { message } = describeThrown(cause);
        throw new InputError(`${error.reason}, and its secrets can't be read (${message})`, { cause });
      });
    }
  };
  return {
    organization: /^(file|s3|azblob|gs|postgres):/.test(process.env.PULUMI_BACKEND_URL ?? "")
      ? "organization"
      : undefined,
    stack,
    withSecrets,
    stacks: (project) => names(...(project === undefined ? [] : ["--project", project])),
    allStacks: () => names("--all"),
    backend: async () => backendAt(place()),
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
