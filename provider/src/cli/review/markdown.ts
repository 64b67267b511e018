import type { Change } from "./change";
import { inParts, isolated } from "../../rules/isolated";
import { visible } from "../../rules/visible";
import { type Group, groupsOf, manyChanges } from "./groups";
import { markOf } from "./mark";
import { otherText, remarkLists } from "./remarks";
import type { Review } from "./review";
import * as words from "./words";

/** The longest comment that GitHub accepts, in characters. GitLab accepts a million. */
export const longestComment = 65_536;
/** Characters kept free for the table head, the folds and the lines that count what was left out. */
const reserve = 2_000;
/** Characters of one fold's markup, and of the line that counts what it left out. */
const foldLength = 180;
/** The most reasons whose changes are listed. */
const mostFolds = 30;

/** The most deleted voices that a comment names. The page has all of them. */
const mostGoing = 20;

/** The recordings in the page that is published with a comment. */
export interface PageBeside {
  isWithheld: boolean;
  /** Why the page lacks recordings of changes. */
  missing: ReadonlyMap<Change, string>;
}

/** A comment for a pull request. The next run finds the comment by the mark in its first line and replaces it. */
export function markdownOf(review: Review, page?: PageBeside): string {
  const { project, stack, changes, errors, notes, others } = review;
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
    (left) => `- … and ${left} more errors`,
  );
  budget.spend(errorLines);
  const recordingLines = budget.share(4).list(otherRecordings(review, page), (left) => `- … and ${left} more`);
  budget.spend(recordingLines);
  const changeLines = (changes.length < manyChanges ? eachChange : inGroups)(changes, budget, review.charge.currency);
  const listed = (lines: string[]) => budget.list(lines, (left) => `- … and ${left} more`);
  const otherVoices = Array.isArray(others) ? others : [];
  const otherLines = listed(otherVoices.map((other) => `- ${code(other.voice)} ${plain(otherText(other))}`.trimEnd()));
  const remarks = remarkLists(review.remarks).flatMap(({ title, lines }) =>
    folded(`${title}: ${lines.length}`, listed(lines.map(({ name, text }) => `- ${code(name)}: ${plain(text)}`))),
  );
  const going = review.goingVoices.map(({ voice, name }) => `- ${code(voice)} (${plain(name)})`);
  const more = going.length - mostGoing;
  const goingLines = listed([...going.slice(0, mostGoing), ...(more > 0 ? [`- … and ${more} more`] : [])]);
  const noteLines = listed(notes.map((note) => `- ${code(shortened(note))}`));

  return [
    head,
    ...(errorLines.length > 0 ? [...errorLines, ""] : []),
    ...changeLines,
    ...recordingLines,
    ...folded(`Voices that are deleted: ${going.length}`, goingLines),
    ...remarks,
    ...folded(`Other voices in the account: ${plain(words.othersText(review))}`, otherLines),
    ...folded("Notes", noteLines),
  ].join("\n");
}

/**
 * Tells the reader how to hear the recordings of voices that get another one. Lists the changes with both lengths if
 * they are few; otherwise the groups show the lengths.
 */
function otherRecordings(review: Review, page: PageBeside | undefined): string[] {
  const lines = review.changes.flatMap((change) => {
    const lengths = words.otherRecording(change);
    if (lengths === undefined) return [];
    const missing = page?.isWithheld === false ? page.missing.get(change) : undefined;
    return [`- ${code(change.name)}: ${plain(lengths)}${missing === undefined ? "" : ` (${plain(missing)})`}`];
  });
  if (lines.length === 0) return [];
  const locally = `${code(words.howToHear(review))} plays both in a working copy of the change.`;
  const where =
    page === undefined
      ? locally
      : page.isWithheld
        ? `The page may not contain people's voices: ${locally}`
        : `The page of this review plays both${page.missing.size > 0 ? ", except as noted" : ""}.`;
  return [`**Other recordings.** ${where}`, "", ...(review.changes.length < manyChanges ? [...lines, ""] : [])];
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
    (left) => `- … the details of ${left} more changes were left out`,
  );
  return [rowOf(head), `|${"---|".repeat(head.length)}`, ...rows, "", ...folded("What changes", details)];
}

function inGroups(changes: Change[], budget: Budget, currency: string): string[] {
  const groups = groupsOf(changes);
  const groupRowOf = (group: Group) => {
    const charge = words.chargeShown(group.changes, currency);
    return rowOf([words.marks[group.action], words.groupText(group), plain(group.reason), charge]);
  };
  const rows = budget.share(2).list(groups.map(groupRowOf), (left) => `\n… and ${left} more reasons`);
  budget.spend(rows);
  const listed = groups.slice(0, mostFolds);
  const folds = new Map<Group, string[]>();
  // The smallest group is first, so that the room that it does not need goes to the larger ones.
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

/** With what changes in each resource if there is room, otherwise only with the resources' names. */
function linesOf({ changes }: Group, share: Budget): string[] {
  const detailed = changes.map((change) => detailsOf(change)[0] ?? `- ${code(change.name)}`);
  const names = changes.map((change) => {
    const lengths = words.otherRecording(change);
    return `- ${code(change.name)}${lengths === undefined ? "" : `: ${plain(lengths)}`}`;
  });
  return share.list(share.has(detailed) ? detailed : names, moreChanges);
}

function moreChanges(left: number): string {
  return `\n… and ${left} more changes, too many for one comment. \`pulumi-cloudvoice review\` prints all of them.`;
}

function rowOf(cells: string[]): string {
  return `| ${cells.join(" | ")} |`.replace("|  |", "| |");
}

function detailsOf(change: Change): string[] {
  const { name, fields, deletesFirst } = change;
  const facts = [
    ...fields.map((field) => words.fieldText(change, field, code)),
    ...(deletesFirst === true ? ["the old voice is deleted before the new one is created"] : []),
  ];
  return facts.length > 0 ? [`- ${code(name)}: ${facts.join("; ")}`] : [];
}

/** Characters that are left in the comment. */
class Budget {
  constructor(private left: number) {}

  spend(lines: string[]): void {
    for (const line of lines) this.left -= line.length + 1;
  }

  /** An equal part of what is left, for one of so many folds. */
  share(folds: number): Budget {
    return new Budget(Math.floor(this.left / folds) - foldLength);
  }

  has(lines: string[]): boolean {
    return lines.reduce((sum, line) => sum + line.length + 1, 0) <= this.left;
  }

  /** The lines that fit, followed by one line that counts the others. */
  list(lines: string[], rest: (left: number) => string): string[] {
    const taken: string[] = [];
    for (const line of lines) {
      if (line.length + 1 > this.left) return [...taken, rest(lines.length - taken.length)];
      this.left -= line.length + 1;
      taken.push(line);
    }
    return taken;
  }
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
  // The marks are outside, so that a copy of the code has none.
  const [before = "", after = ""] = isolated(text) === text ? [] : isolated(text).split(text);
  return `${before}${fence}${space}${visible(text)}${space}${fence}${after}`;
}

function shortened(text: string): string {
  return text.length > 1000 ? `${text.slice(0, 1000)}…` : text;
}

/**
 * Text from the program for use in a sentence or a table cell. Markdown, HTML, mathematics, mentions, references and
 * addresses in it have no effect. Escaping alone stops the first two. GitHub and GitLab find the others in the
 * displayed text, so an HTML comment splits it.
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
