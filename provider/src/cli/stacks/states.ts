import { oncePer, onceSuccessful } from "../../once";
import { InputError } from "../../errors";
import { nameInUrn, partsOf } from "../../rules/resource-types";
import { exportedStack, type StackState, stateOf, type VoiceHolder } from "./state";
import pLimit from "p-limit";
import * as z from "zod";
import { pulumiJson, type PulumiOptions, runPulumi } from "../../run-pulumi";

/** Reads states as the engine saved them. Stacks are given by their full names. Rejects if something can't be read. */
export interface StateReader {
  stack(name: string): Promise<StackState>;
  allStacks(): Promise<string[]>;
}

/** The saved states of a backend, for commands: a provider reads none. Each is read only when it is needed, and once. */
export class States {
  private readonly saved = oncePer((name: string) => onceSuccessful(() => this.reader.stack(name)));

  /** `named`: the full name of the command's stack. */
  constructor(
    private readonly reader: StateReader,
    private readonly named?: string,
  ) {}

  /** The state of the command's stack. */
  async stackState(): Promise<StackState> {
    if (this.named === undefined) throw new InputError("no stack is selected. Name one with --stack");
    return this.saved(this.named)();
  }

  /**
   * The states of all stacks of the backend, because a resource that moved to another project keeps its voice. There
   * may be hundreds.
   */
  readonly everywhere = onceSuccessful(async () => {
    const names = await this.reader.allStacks();
    // The list may lack the stack that was just created.
    const all = this.named === undefined ? names : [...new Set([this.named, ...names])];
    return Promise.all(all.map((name) => this.saved(name)()));
  });
}

/** Describes the resource that holds a voice. Undefined if no resource holds it. */
export type HolderOf = (voice: string) => string | undefined;

/** Finds the holders of these voices in all stacks of the backend. Rejects if a state can't be read. */
export async function namesOfHolders(states: States, rows: readonly { voice: string }[]): Promise<HolderOf> {
  if (rows.length === 0) return () => undefined;
  const holders = (await states.everywhere()).flatMap(voicesIn);
  return (voice) => {
    const holder = holders.find((each) => each.voice === voice);
    return holder && `${nameInUrn(holder.urn)} of the stack ${holder.stack}`;
  };
}

export async function withoutHolder<T extends { voice: string }>(states: States, rows: T[]): Promise<T[]> {
  const holderOf = await namesOfHolders(states, rows);
  return rows.filter(({ voice }) => holderOf(voice) === undefined);
}

/** The voices of a state: held by its resources, or only read by its programs. */
export function voicesIn({ holders, readers }: StackState): VoiceHolder[] {
  return [...holders, ...readers];
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
