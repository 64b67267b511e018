import { lstatSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "../../errors";
import { readRegularFile } from "../../files";
import { visible } from "../../rules/visible";
import type { StackName } from "../../rules/resource-types";
import { longestComment, markOf, namesOfMark } from "../review/markdown";

/** The size limit for the file of a review, which is written to fit into one comment. */
const mostBytes = 1024 * 1024;

/**
 * Reads a review that `review --save review.md` wrote. The text of the file is untrusted, because the program under
 * review could have written the file. `names`: the project and stack in the hidden first line (see `markOf`). Both are
 * empty if the review did not know them.
 */
export function readReview(path: string): { names: StackName; lines: string[] } {
  const isFolder = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = isFolder ? join(path, "review.md") : path;
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined)
    throw new InputError(
      `There is no review at ${file}. The job that reviews the change has failed, or saves the review elsewhere.`,
    );
  const bytes = readRegularFile(file, mostBytes);
  if (bytes === undefined)
    throw new InputError(`${file} is not posted: a review must be a regular file up to 1 MB, not a link.`);
  const [mark = "", ...lines] = bytes.toString().replace(/\r\n?/g, "\n").split("\n");
  const names = namesOfMark(mark);
  if (names === undefined)
    throw new InputError(
      `${file} is not posted: it does not begin with the mark of a review. Write it with \`review --save review.md\`.`,
    );
  return { names, lines };
}

/** The project and the stack that the options of a command name. */
export type StatedNames = { [part in keyof StackName]?: string | undefined };

/**
 * Returns the project and stack of the comment. Throws if the review and the options name different stacks, because the
 * review would replace the comment of another stack.
 */
export function namesOfComment(saved: StackName, namesInOptions: StatedNames): StackName {
  const differing = (["project", "stack"] as const).find(
    (each) => namesInOptions[each] !== undefined && saved[each] !== "" && saved[each] !== namesInOptions[each],
  );
  if (differing !== undefined)
    throw new InputError(
      `The review is not posted: it is a review of the ${differing} ${visible(saved[differing])}, ` +
        `not of ${namesInOptions[differing]}.`,
    );
  const { project = saved.project, stack = saved.stack } = namesInOptions;
  if (project === "" || stack === "")
    throw new InputError("The review does not name its stack. Name the stack: --project <name> --stack <name>.");
  return { project, stack };
}

/**
 * The comment: the mark, the heading, the link to the page, and the rest. `review` leaves room for the link
 * and the escapes.
 */
export function commentOf(names: StackName, lines: string[], page?: string): { mark: string; body: string } {
  const mark = markOf(names);
  const [heading = "", ...rest] = lines.map(neutral);
  // `rest` begins with an empty line.
  const link = page === undefined ? [] : ["", `[The page of this review](${linkTarget(page)})`];
  const body = [mark, heading, ...link, ...rest].join("\n");
  if (body.length > longestComment)
    throw new InputError(
      `The review is not posted: it has ${body.length} characters, and a comment at most ${longestComment}.`,
    );
  return { mark, body };
}

/**
 * Escapes a line such as `/merge`, which GitLab and bots would run as a command of the comment's author. They may take
 * out HTML and invisible characters first, so a slash after a tag or a comment counts as one at the start.
 */
function neutral(line: string): string {
  return line.replace(/[^\P{Cc}\t]/gu, "").replace(/(^|[>\u2028\u2029])([\s\p{Cf}]*)\//gu, "$1$2\\/");
}

/** The target of a Markdown link, without the characters that would end it. */
function linkTarget(page: string): string {
  const url = URL.canParse(page) ? new URL(page) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new InputError("--page must be the address of a page, e.g. https://ci.example/review.html.");
  return url.href.replace(/[()<>\\]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}
