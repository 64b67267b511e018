import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";
import { describeThrown } from "../../describe-thrown";
import { resourceTypes } from "../shared/resource-types";
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
const ownTypes = new Set<string>(Object.values(resourceTypes));

/**
 * Asks the Pulumi command line. It may read the state of a stack while an update of that stack holds its lock. The
 * provider process has the environment and the working folder of the program, and so the same backend.
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
  const own = (resources ?? []).filter(({ type }) => ownTypes.has(type));
  return {
    stack,
    ids: new Set(own.flatMap(({ id }) => id ?? [])),
    holders: own
      .filter(({ type }) => type === resourceTypes.cloudVoice)
      .flatMap(({ urn, id, delete: isOld = false }) => (id === undefined ? [] : [{ stack, urn, voice: id, isOld }])),
    pendingCreates: (pending ?? [])
      .filter(({ type, resource: { type: kind } }) => type === "creating" && kind === resourceTypes.cloudVoice)
      .map(({ resource: { urn, inputs } }) => ({ urn, preferredName: textOf(inputs?.preferredName) })),
  };
}

const timeoutMs = 60_000;

async function pulumiJson(args: string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)("pulumi", [...args, "--non-interactive"], {
    maxBuffer: 1024 * 1024 * 1024,
    timeout: timeoutMs,
    env: {
      ...process.env,
      PULUMI_SKIP_UPDATE_CHECK: "true",
      // With the state in PostgreSQL, Pulumi 3.200 opens two connections for each core, and `stack ls` waits for ever
      // when it reads more stacks than that at the same time.
      PULUMI_DIY_BACKEND_PARALLEL: "1",
    },
  }).catch((error: unknown) => {
    const { killed, stderr } = error as { killed?: boolean; stderr?: string };
    const reason = killed === true ? `it did not end within ${timeoutMs / 1000} s` : stderr?.trim();
    throw new Error(`pulumi ${args.slice(0, 2).join(" ")}: ${reason || describeThrown(error).message}`);
  });
  return JSON.parse(stdout);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
