import type { ProvidedResource } from "./resource-types";

export const packageName = "pulumi-cloudvoice";

/**
 * The text by which the engine finds the code of a dynamic resource. It never changes, because every state has it, and
 * later releases have to read and delete today's resources. It is short, because each resource has it twice, and the
 * engine writes the whole state at every step.
 */
export function providerText(resource: ProvidedResource): string {
  // @persisted
  return `exports.handler=()=>require("${packageName}/provider").${resource}`;
}
