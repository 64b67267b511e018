import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";
import { once } from "../../once";
import { resourceTypes } from "../shared/resource-types";
import type { StackState, StateReader } from "./states";

const resource = z.object({
  urn: z.string(),
  type: z.string(),
  id: z.string().optional(),
  delete: z.boolean().optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
});
const exported = z.object({
  deployment: z
    .object({
      resources: z.array(resource).nullish(),
      pending_operations: z.array(z.object({ type: z.string(), resource })).nullish(),
    })
    .nullish(),
});
const stackList = z.array(z.object({ name: z.string() }));
const ownTypes = new Set<string>(Object.values(resourceTypes));

/**
 * Asks the Pulumi command line. It may read the state of a stack while an update of that stack holds its lock. The provider process has
 * the environment and the working folder of the program, and so the same backend.
 */
export const pulumiStates: StateReader = {
  async stack(name) {
    const { deployment } = exported.parse(await pulumiJson(["stack", "export", "--stack", name]));
    return stackState(name, deployment ?? {});
  },
  stacks: () => stackNames("stack", "ls", "--json"),
  allStacks: () => stackNames("stack", "ls", "--all", "--json"),
};

function stackState(
  stack: string,
  { resources, pending_operations: pending }: NonNullable<z.infer<typeof exported>["deployment"]>,
): StackState {
  const own = (resources ?? []).filter(({ type }) => ownTypes.has(type));
  return {
    stack,
    ids: new Set(own.flatMap(({ id }) => id ?? [])),
    holders: own
      .filter(({ type }) => type === resourceTypes.cloudVoice)
      .flatMap(({ urn, id, delete: isOld = false, outputs }) =>
        id === undefined ? [] : [{ stack, urn, voice: id, isOld, account: textOf(outputs?.account) }],
      ),
    pendingCreates: (pending ?? [])
      .filter(({ type, resource: { type: kind } }) => type === "creating" && kind === resourceTypes.cloudVoice)
      .map(({ resource: { urn, inputs } }) => ({ urn, preferredName: textOf(inputs?.preferredName) })),
  };
}

async function stackNames(...args: string[]): Promise<string[]> {
  return stackList.parse(await pulumiJson(args)).map(({ name }) => name);
}

/** An organization may have hundreds of stacks, and each command takes tens of megabytes of memory. */
const commands = once(async () => {
  const { default: PQueue } = await import("p-queue");
  return new PQueue({ concurrency: 4 });
});

async function pulumiJson(args: string[]): Promise<unknown> {
  const { stdout } = await (
    await commands()
  ).add(() =>
    promisify(execFile)("pulumi", [...args, "--non-interactive"], {
      maxBuffer: 1024 * 1024 * 1024,
      timeout: 60_000,
      env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" },
    }),
  );
  return JSON.parse(stdout);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
