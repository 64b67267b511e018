import type { Change } from "./change";
import { inParts, isolated, visible } from "../../rules/visible";
import { type Group, groupsOf, manyChanges } from "./words";
import { remarkLists } from "./remarks";
import type { Review } from "./review";
import * as words from "./words";
import { attempt } from "../../describe-thrown";
import type { StackName } from "../../rules/resource-types";

/** The longest comment that GitHub accepts, in characters. GitLab accepts a million. */
export const longestComment = 65_536;
/** Characters for the table head, the folds and the lines that count what was left out. */
const reserve = 2_000;
/** Characters of a fold's markup, and of its line that says how many changes are left out. */
const foldLength = 180;
/** The most groups whose changes are listed. */
const mostFolds = 30;

/** The most deleted voices that a comment names. The page names all deleted voices. */
const mostDeleted = 20;

/** The page that is published with a comment. */
interface PageBeside {
  /** Whether the page must not contain recordings. */
  isWithheld: boolean;
  /** Why the page lacks recordings of changes. */
  missing: ReadonlyMap<Change, string>;
}

/** The comment for a pull request. Its first line is the mark by which the next run finds and replaces the comment. */
export function markdownOf(review: Review, page?: PageBeside): string {
  const { project, stack, changes, errors, notes } = review;
  const head = [
    markOf(review),
    `### ${project === "" ? "Review" : `Review of ${code(`${project}/${stack}`)}`}`,
    "",
    ...words.alarms(review).flatMap((line) => [`> [!WARNING]\n> ${plain(line)}`, ""]),
    `**${words.countsText(review)}** · charge: **${words.chargeText(review)}** · voices: **${plain(words.quotaText(review))}**`,
    "",
  ].join("\n");

  const budget = new Budget(longestComment - reserve - head.length);
  // Errors get a quarter of the comment at most, so that the changes have room too.
  const errorLines = new Budget(longestComment / 4).list(
    errors.map((error) => `- ${code(shortened(error))}`),
    (omitted) => `- … and ${omitted} more errors`,
  );
  budget.spend(errorLines);
  const andMore = (omitted: number) => `- … and ${omitted} more`;
  const recordingLines = budget.share(4).list(otherRecordings(review, page), andMore);
  budget.spend(recordingLines);
  const changeLines = (changes.length < manyChanges ? eachChange : inGroups)(changes, budget, review.charge.currency);
  const listed = (lines: string[]) => budget.list(lines, andMore);
  const remarks = remarkLists(review.remarks).flatMap(({ title, lines }) =>
    folded(`${title}: ${lines.length}`, listed(lines.map(({ name, text }) => `- ${code(name)}: ${plain(text)}`))),
  );
  const deletedVoices = review.goingVoices.map(({ voice, name }) => `- ${code(voice)} (${plain(name)})`);
  const more = deletedVoices.length - mostDeleted;
  const deletedLines = listed([...deletedVoices.slice(0, mostDeleted), ...(more > 0 ? [andMore(more)] : [])]);
  const noteLines = listed(notes.map((text) => `- ${code(shortened(text))}`));

  return [
    head,
    ...(errorLines.length > 0 ? [...errorLines, ""] : []),
    ...changeLines,
    ...recordingLines,
    ...folded(`${words.deletedHeading}: ${deletedVoices.length}`, deletedLines),
    ...remarks,
    ...folded("Notes", noteLines),
  ].join("\n");
}

/** How to hear the changed recordings, and, for few changes, their lengths. For many, the groups show the lengths. */
function otherRecordings(review: Review, page: PageBeside | undefined): string[] {
  const lines = review.changes.flatMap((change) => {
    const lengths = words.otherRecording(change);
    if (lengths === undefined) return [];
    const missing = page?.isWithheld === false ? page.missing.get(change) : undefined;
    return [`- ${code(change.name)}: ${plain(lengths)}${missing === undefined ? "" : ` (${plain(missing)})`}`];
  });
  if (lines.length === 0) return [];
  const both = "plays the old and the new recording";
  const locally = `${code(words.howToHear(review))} ${both} in a working copy of the change.`;
  const where =
    page === undefined
      ? locally
      : page.isWithheld
        ? `The page must not contain people's voices. ${locally}`
        : `The page of this review ${both}${page.missing.size > 0 ? ", except as noted" : ""}.`;
  return [`**Changed recordings.** ${where}`, "", ...(review.changes.length < manyChanges ? [...lines, ""] : [])];
}

function eachChange(changes: Change[], budget: Budget, currency: string): string[] {
  if (changes.length === 0) return [];
  const { head, rows: all } = words.changeTable(changes, currency);
  const lines = all.map(({ change: { action, kind, name, why }, rights, charge }) =>
    rowOf([words.marks[action], kind, `<code>${plain(name)}</code>`, plain(why), ...rights.map(plain), charge]),
  );
  const rows = budget.list(lines, moreChanges);
  const details = budget.list(
    changes.flatMap(detailsOf),
    (omitted) => `- … the details of ${omitted} more changes were left out`,
  );
  return [rowOf(head), `|${"---|".repeat(head.length)}`, ...rows, "", ...folded("What changes", details)];
}

function inGroups(changes: Change[], budget: Budget, currency: string): string[] {
  const groups = groupsOf(changes);
  const groupRowOf = (group: Group) => {
    const charge = words.chargeShown(group.changes, currency);
    return rowOf([words.marks[group.action], words.groupText(group), plain(group.reason), charge]);
  };
  const rows = budget.share(2).list(groups.map(groupRowOf), (omitted) => `\n… and ${omitted} more reasons`);
  budget.spend(rows);
  const listed = groups.slice(0, mostFolds);
  const folds = new Map<Group, string[]>();
  // Fill the smallest group first. The room that it leaves goes to larger groups.
  for (const group of [...listed].sort((a, b) => a.changes.length - b.changes.length)) {
    const share = budget.share(listed.length - folds.size);
    const fold = folded(`${words.groupText(group)}: ${plain(group.reason)}`, linesOf(group, share));
    budget.spend(fold);
    folds.set(group, fold);
  }
  return [
    "| | changes | why | charge |",
    "|---|---|---|---|",
    ...rows,
    "",
    ...listed.flatMap((group) => folds.get(group) ?? []),
  ];
}

/** Lists the changed fields of each resource if they fit, and otherwise only the names. */
function linesOf({ changes }: Group, share: Budget): string[] {
  const detailed = changes.map((change) => detailsOf(change)[0] ?? `- ${code(change.name)}`);
  const names = changes.map((change) => {
    const lengths = words.otherRecording(change);
    return `- ${code(change.name)}${lengths === undefined ? "" : `: ${plain(lengths)}`}`;
  });
  return share.list(share.has(detailed) ? detailed : names, moreChanges);
}

function moreChanges(omitted: number): string {
  return `\n… and ${omitted} more changes, too many for one comment. \`pulumi-cloudvoice review\` prints all of them.`;
}

function rowOf(cells: string[]): string {
  return `| ${cells.join(" | ")} |`.replace("|  |", "| |");
}

function detailsOf(change: Change): string[] {
  const facts = change.fields.map((field) => words.fieldText(change, field, code));
  return facts.length > 0 ? [`- ${code(change.name)}: ${facts.join("; ")}`] : [];
}

/** The characters that a comment still has room for. */
class Budget {
  constructor(private room: number) {}

  spend(lines: string[]): void {
    this.room -= lengthOf(lines);
  }

  /** An equal part of the remaining room, for each of `folds` folds. */
  share(folds: number): Budget {
    return new Budget(Math.floor(this.room / folds) - foldLength);
  }

  has(lines: string[]): boolean {
    return lengthOf(lines) <= this.room;
  }

  /** The lines that fit, followed by one line that counts the others. */
  list(lines: string[], rest: (omitted: number) => string): string[] {
    const taken: string[] = [];
    for (const line of lines) {
      if (lengthOf([line]) > this.room) return [...taken, rest(lines.length - taken.length)];
      this.spend([line]);
      taken.push(line);
    }
    return taken;
  }
}

function lengthOf(lines: string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

function folded(summary: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : [`<details><summary>${summary}</summary>`, "", ...lines, "", "</details>", ""];
}

/** Text from the program as code, in which Markdown, HTML and @mentions have no effect. */
export function code(text: string): string {
  if (text === "") return "(empty)";
  const longestRun = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longestRun + 1);
  const space = text.startsWith("`") || text.endsWith("`") || longestRun > 0 ? " " : "";
  // The characters that isolate the text are outside of the code, so a person who copies the code does not get them.
  const [before = "", after = ""] = isolated(text) === text ? [] : isolated(text).split(text);
  return `${before}${fence}${space}${visible(text)}${space}${fence}${after}`;
}

function shortened(text: string): string {
  return text.length > 1000 ? `${text.slice(0, 1000)}…` : text;
}

/**
 * Escapes text from the program for a sentence or a table cell. Character references are enough for Markdown and HTML.
 * GitHub and GitLab look for mathematics, mentions, references and addresses in the displayed text, so an HTML comment
 * splits these.
 */
function plain(text: string): string {
  return inParts(isolated(text), (part) => neutral(visible(part)));
}

function neutral(text: string): string {
  return text.replace(
    /([\\`*_[\]<>|])|[@#$!~%^&]|(?<=www)\.|:(?=\/\/)|(?<=\bG[HL])-(?=\d)/gi,
    (character, isMarkup: string | undefined) => `&#${character.charCodeAt(0)};${isMarkup ? "" : "<!-- -->"}`,
  );
}

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
