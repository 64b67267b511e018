import { InputError } from "../errors";

export interface StackName {
  project: string;
  stack: string;
}

/** The stack of an operation: project and stack from the URN of any resource, the organization from the program. */
export interface StackIdentity extends StackName {
  /** Undefined until it is learned from the program. Workaround: the engine does not pass it to a provider. */
  organization?: string | undefined;
}

/** The operation's stack in the backend is not known, so its state can't be read. */
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

/** The project and the stack in a URN, `urn:pulumi:<stack>::<project>::…`. */
export function stackIn(urn: string): StackName | undefined {
  const [, stack, project] = /^urn:pulumi:([^:]+)::([^:]+)::/.exec(urn) ?? [];
  return stack === undefined || project === undefined ? undefined : { project, stack };
}

/** The stack of a resource by its URN, as questions name it: `project/stack`. */
export function stackOfUrn(urn: string | undefined): string {
  const name = stackIn(urn ?? "");
  return name ? `${name.project}/${name.stack}` : "";
}

/** The stack of a resource in a state, by the backend's name: after a rename, URNs may still have the old name. */
export function stackOfHolder({ stack: name, savedUrn }: { stack: string; savedUrn: string }): string {
  const { project = stackIn(savedUrn)?.project ?? "", stack } = partsOf(name);
  return `${project}/${stack}`;
}
