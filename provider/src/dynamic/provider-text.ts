import type { ProvidedResource } from "../rules/resource-types";

export const packageName = "pulumi-cloudvoice";

/**
 * The text by which the engine finds the code of a dynamic resource. The text never changes, because every saved state
 * contains it, and later releases must be able to read and delete the resources of these states. The text is short,
 * because the state contains it twice for each resource, and the engine writes the whole state at every step.
 */
export function providerText(resource: ProvidedResource): string {
  const load = `require("${packageName}/provider").${resource}`;
  // Without the package, e.g. at a `destroy` on a new runner, Pulumi prints message and stack for each resource. The
  // message says which package is missing; this advice takes the place of the stack.
  // @persisted
  return `exports.handler=()=>{try{return ${load}}catch(e){e.stack='Run \`npm install\`';throw e}}`;
}
