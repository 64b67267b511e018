import type { ProvidedResource } from "./resource-types";

export const packageName = "pulumi-cloudvoice";

/**
 * The text by which the engine finds the code of a dynamic resource. The text never changes, because every saved state
 * contains it, and later releases must be able to read and delete the resources of these states. The text is short,
 * because the state contains it twice for each resource, and the engine writes the whole state at every step.
 */
export function providerText(resource: ProvidedResource): string {
  // @persisted
  return `exports.handler=()=>require("${packageName}/provider").${resource}`;
}
