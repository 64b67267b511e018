import type { StackName } from "../../stacks/names";

/**
 * The hidden first line of a comment. It says of which project and stack the review is, so that the next run finds the
 * comment among all others. Two stacks never have the same mark: what is special in a name is written as in a URL.
 */
export function markOf({ project, stack }: StackName): string {
  return `<!-- cloudvoice-review ${namesIn({ project, stack })} -->`;
}

/** The same for Bitbucket, which shows HTML comments: a definition of a link that nothing uses. */
export function markWithoutHtml(name: StackName): string {
  return `[//]: # (cloudvoice-review ${namesIn(name)})`;
}

/** The project and the stack that a mark names. Both are empty if the review did not know them. */
export function namesOfMark(line: string): StackName | undefined {
  const [, project, stack] = /^<!-- cloudvoice-review ([\w.%-]*)\/([\w.%-]*) -->$/.exec(line) ?? [];
  if (project === undefined || stack === undefined) return undefined;
  try {
    return { project: decodeURIComponent(project), stack: decodeURIComponent(stack) };
  } catch {
    return undefined; // Not written by `namesIn`.
  }
}

function namesIn({ project, stack }: StackName): string {
  const bytes = (text: string) => Buffer.from(text).toString("hex").replace(/../g, "%$&");
  // Two hyphens would end an HTML comment.
  return [project, stack].map((name) => name.replace(/[^0-9A-Za-z_.-]|(?<=-)-/gu, bytes)).join("/");
}
