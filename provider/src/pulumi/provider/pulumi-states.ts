import { z } from "zod";
import { once } from "../../once";
import { dynamicUrn, resourceKind } from "../../rules/resource-types";
import { pulumiJson } from "../../run-pulumi";
import type { StackState, StateReader } from "./states";

const resource = z.object({
  urn: z.string(),
  type: z.string(),
  id: z.string().optional(),
  delete: z.boolean().optional(),
  external: z.boolean().optional(),
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

const timeoutMs = 60_000;

/**
 * Asks the Pulumi command line. It may read the state of a stack while an update of that stack holds its lock. The
 * provider process has the environment and the working folder of the program, and so the same backend.
 */
export function pulumiStates(): StateReader {
  // An organization may have hundreds of stacks, and each command takes tens of megabytes of memory.
  const commands = once(async () => {
    const { default: PQueue } = await import("p-queue");
    return new PQueue({ concurrency: 4 });
  });
  const ask = async (...args: string[]) => (await commands()).add(() => pulumiJson(args, { timeoutMs }));
  const names = async (...args: string[]) => stackList.parse(await ask(...args)).map(({ name }) => name);
  return {
    async stack(name) {
      const { deployment } = exported.parse(await ask("stack", "export", "--stack", name));
      return stackState(name, deployment ?? {});
    },
    stacks: () => names("stack", "ls", "--json"),
    allStacks: () => names("stack", "ls", "--all", "--json"),
  };
}

function stackState(
  stack: string,
  { resources, pending_operations: pending }: NonNullable<z.infer<typeof exported>["deployment"]>,
): StackState {
  // A program reads an external resource with `CloudVoice.get`. Pulumi never deletes it, so it holds nothing.
  const own = (resources ?? []).filter(({ type, external }) => resourceKind(type) !== undefined && external !== true);
  return {
    stack,
    ids: new Set(own.flatMap(({ id }) => id ?? [])),
    holders: own
      .filter(({ type }) => resourceKind(type) === "voice")
      .flatMap(({ urn, id, delete: isOld = false, outputs }) =>
        id === undefined ? [] : [{ stack, urn: dynamicUrn(urn), voice: id, isOld, account: textOf(outputs?.account) }],
      ),
    pendingCreates: (pending ?? [])
      .filter(({ type, resource: { type: kind } }) => type === "creating" && resourceKind(kind) === "voice")
      .map(({ resource: { urn, inputs } }) => ({ urn: dynamicUrn(urn), preferredName: textOf(inputs?.preferredName) })),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
