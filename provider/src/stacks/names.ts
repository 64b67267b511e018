import { InputError } from "../errors";

export interface StackName {
  project: string;
  stack: string;
}

/** The known facts about the stack of an operation, from the URN of any of its resources and from the program. */
export interface StackIdentity extends StackName {
  /** Workaround: it may be unknown, because the engine passes the organization to a program, and not to a plugin. */
  organization?: string | undefined;
}

/** It is not known which stack of the backend this operation belongs to, so its state is not known. */
export class UnknownStackError extends InputError {}

/**
 * The parts of a full name, `organization/project/stack`. A backend in the layout before Pulumi 3.61 has no projects:
 * there the full name is the name of the stack.
 */
export function partsOf(name: string): { stack: string; project?: string; organization?: string } {
  const [stack = "", project, organization] = name.split("/").reverse();
  return { stack, ...(project !== undefined && { project }), ...(organization !== undefined && { organization }) };
}

/** The stacks that may be this one. There can be more than one if the organization is not known. */
export function stacksLike(names: readonly string[], wanted: StackIdentity): string[] {
  return names.filter((name) => {
    const { stack, project = wanted.project, organization = wanted.organization } = partsOf(name);
    const isOurs = wanted.organization === undefined || organization === wanted.organization;
    return isOurs && stack === wanted.stack && project === wanted.project;
  });
}

/** The names in the URN of a resource, `urn:pulumi:<stack>::<project>::…`. */
export function stackIn(urn: string): StackName | undefined {
  const [, stack, project] = /^urn:pulumi:([^:]+)::([^:]+)::/.exec(urn) ?? [];
  return stack === undefined || project === undefined ? undefined : { project, stack };
}

/** The stack of a resource as questions name it, `project/stack`, from the resource's URN. */
export function stackOfUrn(urn: string | undefined): string {
  const name = stackIn(urn ?? "");
  return name ? `${name.project}/${name.stack}` : "";
}

/**
 * The same for a resource in a state. Uses the backend's name of the stack: after a rename, the URNs may still have the
 * old one.
 */
export function stackOfHolder({ stack: name, savedUrn }: { stack: string; savedUrn: string }): string {
  const { project = stackIn(savedUrn)?.project ?? "", stack } = partsOf(name);
  return `${project}/${stack}`;
}
