import { InputError } from "../errors";

export interface StackName {
  project: string;
  stack: string;
}

/** What is known about the stack of an operation, from the URN of any of its resources and from the program. */
export interface StackIdentity extends StackName {
  /** Workaround: it may not be known, because the engine tells a program its organization, and a plugin none. */
  organization?: string | undefined;
}

/** The stack of this operation can't be told among the stacks of the backend, so its state is not known. */
export class UnknownStackError extends InputError {}

/**
 * The parts of a full name, `organization/project/stack`. A backend in the layout that Pulumi had before version 3.61
 * knows no projects: there the name of the stack is all.
 */
export function partsOf(name: string): { stack: string; project?: string; organization?: string } {
  const [stack = "", project, organization] = name.split("/").reverse();
  return { stack, ...(project !== undefined && { project }), ...(organization !== undefined && { organization }) };
}

/** The stacks that may be this one. More than one if the organization is not known, and several have such a stack. */
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

/** A stack as questions name it, `project/stack`, by the URN of a resource. */
export function stackOfUrn(urn: string | undefined): string {
  const name = stackIn(urn ?? "");
  return name ? `${name.project}/${name.stack}` : "";
}

/** The same for a resource in a state: as the backend names the stack, since one that was renamed keeps its URNs. */
export function stackOfHolder({ stack: name, savedUrn }: { stack: string; savedUrn: string }): string {
  const { project = stackIn(savedUrn)?.project ?? "", stack } = partsOf(name);
  return `${project}/${stack}`;
}
