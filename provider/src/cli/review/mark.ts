import { attempt } from "../../attempt";
import type { StackName } from "../../rules/resource-types";

/** The hidden first line by which the next run finds the comment of this stack. Two stacks never have the same mark. */
export function markOf({ project, stack }: StackName): string {
  const bytes = (text: string) => Buffer.from(text).toString("hex").replace(/../g, "%$&");
  // Two hyphens would end an HTML comment.
  const names = [project, stack].map((name) => name.replace(/[^0-9A-Za-z_.-]|(?<=-)-/gu, bytes)).join("/");
  return `<!-- cloudvoice-review ${names} -->`;
}

/** The project and stack in a mark. Both are empty if the review did not know them. Undefined if there is no mark. */
export function namesOfMark(line: string): StackName | undefined {
  const [, project, stack] = /^<!-- cloudvoice-review ([\w.%-]*)\/([\w.%-]*) -->$/.exec(line) ?? [];
  if (project === undefined || stack === undefined) return undefined;
  // A forged mark may have an invalid encoding.
  return attempt(() => ({ project: decodeURIComponent(project), stack: decodeURIComponent(stack) }));
}
