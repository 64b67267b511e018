import { InputError } from "../../errors";
import type { StackName } from "../../rules/resource-types";

export { stackIn, type StackName } from "../../rules/resource-types";

/** A stack whose organization may not be known. */
export interface StackIdentity extends StackName {
  organization?: string | undefined;
}

/** The command's stack is not known, so its state can't be read. */
export class UnknownStackError extends InputError {}

/** The parts of `organization/project/stack`. In a backend from before Pulumi 3.61, a name has only the stack. */
export function partsOf(name: string) {
  const [stack = "", project, organization] = name.split("/").reverse();
  return { stack, project, organization };
}

/** The names that may be this stack's. There may be several if the organization is not known. */
export function stacksLike(names: readonly string[], identity: StackIdentity): string[] {
  return names.filter((name) => {
    const { stack, project = identity.project, organization = identity.organization } = partsOf(name);
    const isOurs = identity.organization === undefined || organization === identity.organization;
    return isOurs && stack === identity.stack && project === identity.project;
  });
}
