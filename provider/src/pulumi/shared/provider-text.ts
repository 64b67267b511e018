import type { ProvidedResource } from "./resource-types";

export const packageName = "pulumi-cloudvoice";

/**
 * The text by which the engine finds the code of a resource. Every state file has it, twice for each resource. Later
 * versions of this package read and delete the states of today through this text, so it never changes. It is short
 * because the engine writes the whole state at every step.
 */
export function providerText(resource: ProvidedResource): string {
  // @persisted
  return `exports.handler=()=>require("${packageName}/provider").${resource}`;
}
