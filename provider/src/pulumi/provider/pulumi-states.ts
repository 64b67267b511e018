import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";
import { dynamicUrn, resourceKind } from "../../rules/resource-types";
import type { StackState, StateReader } from "./states";

const resource = z.object({
  urn: z.string(),
  type: z.string(),
  id: z.string().optional(),
  delete: z.boolean().optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
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

/**
 * Asks the Pulumi command line. It may read the state of a stack while an update of that stack holds its lock. The provider process has
 * the environment and the working folder of the program, and so the same backend.
 */
export const pulumiStates: StateReader = {
  async stack(name) {
    const { deployment } = exported.parse(await pulumiJson(["stack", "export", "--stack", name]));
    return stackState(name, deployment ?? {});
  },
  async stacks() {
    return stackList.parse(await pulumiJson(["stack", "ls", "--json"])).map(({ name }) => name);
  },
};

function stackState(
  stack: string,
  { resources, pending_operations: pending }: NonNullable<z.infer<typeof exported>["deployment"]>,
): StackState {
  const own = (resources ?? []).filter(({ type }) => resourceKind(type) !== undefined);
  return {
    stack,
    ids: new Set(own.flatMap(({ id }) => id ?? [])),
    holders: own
      .filter(({ type }) => resourceKind(type) === "voice")
      .flatMap(({ urn, id, delete: isOld = false }) =>
        id === undefined ? [] : [{ stack, urn: dynamicUrn(urn), voice: id, isOld }],
      ),
    pendingCreates: (pending ?? [])
      .filter(({ type, resource: { type: kind } }) => type === "creating" && resourceKind(kind) === "voice")
      .map(({ resource: { urn, inputs } }) => ({ urn: dynamicUrn(urn), preferredName: textOf(inputs?.preferredName) })),
  };
}

async function pulumiJson(args: string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)("pulumi", [...args, "--non-interactive"], {
    maxBuffer: 1024 * 1024 * 1024,
    timeout: 60_000,
    env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" },
  });
  return JSON.parse(stdout);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
