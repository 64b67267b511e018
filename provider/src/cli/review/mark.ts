import { attempt } from "../../attempt";
import type { StackName } from "../../rules/resource-types";

/** The hidden first line by which the next run finds the comment of this stack. Two stacks never have the same mark. */
export function markOf({ project, stack }: StackName): string {
  return `<!-- cloudvoice-review ${namesIn({ project, stack })} -->`;
}

/** Like {@link markOf} for Bitbucket, which shows HTML comments: the definition of an unused link. */
export function markWithoutHtml(name: StackName): string {
  return `[//]: # (cloudvoice-review ${namesIn(name)})`;
}

/** The project and stack in a mark. Both are empty if the review did not know them. Undefined if there is no mark. */
export function namesOfMark(line: string): StackName | undefined {
  const [, project, stack] = /^<!-- cloudvoice-review ([\w.%-]*)\/([\w.%-]*) -->$/.exec(line) ?? [];
  if (project === undefined || stack === undefined) return undefined;
  // A forged mark may have an invalid encoding.
  return attempt(() => ({ project: decodeURIComponent(project), stack: decodeURIComponent(stack) }));
}

function namesIn({ project, stack }: StackName): string {
  const bytes = (text: string) => Buffer.from(text).toString("hex").replace(/../g, "%$&");
  // Two hyphens would end an HTML comment.
  return [project, stack].map((name) => name.replace(/[^0-9A-Za-z_.-]|(?<=-)-/gu, bytes)).join("/");
}
