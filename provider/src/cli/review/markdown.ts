import type { Change } from "./change";
import { visible } from "../../rules/visible";
import type { Review } from "./review";
import { alarms, chargeOfChange, chargeText, countsText, fieldText, marks, othersText, quotaText } from "./words";

/** GitHub takes no longer comment; GitLab takes a million. */
export const longestComment = 65_536;
/** What the head of the comment, its end and the lines that say what was left out may need beside the lists. */
const reserve = 2_000;

/** A pull request's comment. The mark in its first line is how the next run finds it again. */
export function markdownOf(review: Review): string {
  const { project, stack, changes, errors, notes, others } = review;
  const head = [
    commentMark(review),
    `### ${project === "" ? "Review" : `Review of ${code(`${project}/${stack}`)}`}`,
    "",
    `**${countsText(review)}** · charge: **${chargeText(review)}** · voices: **${plain(quotaText(review))}**`,
    "",
    ...alarms(review).flatMap((line) => [`> [!WARNING]\n> ${line}`, ""]),
  ].join("\n");

  const budget = new Budget(longestComment - reserve - head.length);
  // Errors may be long and many, and leave room for what the preview reached.
  const problems = new Budget(longestComment / 4).list(
    errors.map((error) => `- ${code(shortened(error))}`),
    (left) => `- … and ${left} more errors`,
  );
  budget.take(problems);
  const rows = budget.list(
    changes.map(
      (change) =>
        `| ${marks[change.action]} | ${change.kind} | <code>${plain(change.name)}</code> | ${plain(change.why)} | ${chargeOfChange(change)} |`,
    ),
    (left) => `\n… and ${left} more changes, which are too many for one comment; \`cloudvoice review\` tells them all.`,
  );
  const details = budget.list(
    changes.flatMap(detailsOf),
    (left) => `- … the details of ${left} more changes were left out`,
  );
  const unheld = Array.isArray(others)
    ? budget.list(
        others.map(({ voice, createdAt }) => `- ${code(voice)} ${createdAt.slice(0, 10)}`),
        (left) => `- … and ${left} more`,
      )
    : [];
  const said = budget.list(
    notes.map((note) => `- ${code(shortened(note))}`),
    (left) => `- … and ${left} more`,
  );

  return [
    head,
    ...(problems.length > 0 ? [...problems, ""] : []),
    ...(rows.length > 0 ? ["| | kind | resource | why | charge |", "|---|---|---|---|---|", ...rows, ""] : []),
    ...folded("What changes", details),
    ...folded(`Voices of the account that this stack does not hold: ${othersText(review)}`, unheld),
    ...folded("Notes", said),
  ].join("\n");
}

/** Hidden in the comment: of all comments on a pull request, the one to renew. */
function commentMark({ project, stack }: Review): string {
  return `<!-- cloudvoice-review ${`${project}/${stack}`.replace(/[^0-9A-Za-z_./-]/g, "_").replaceAll("--", "__")} -->`;
}

function detailsOf(change: Change): string[] {
  const { name, fields, deletesFirst } = change;
  const facts = [
    ...fields.map((field) => fieldText(change, field, code)),
    ...(deletesFirst === true ? ["the old voice goes before the new one comes"] : []),
  ];
  return facts.length > 0 ? [`- ${code(name)}: ${facts.join("; ")}`] : [];
}

/** Lines as long as there is room; then one that says how many were left out. */
class Budget {
  constructor(private left: number) {}

  take(lines: string[]): void {
    for (const line of lines) this.left -= line.length + 1;
  }

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

/** Text of the program as code, where Markdown, HTML and @mentions mean nothing. */
function code(text: string): string {
  if (text === "") return "(empty)";
  const longestRun = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longestRun + 1);
  const space = text.startsWith("`") || text.endsWith("`") || longestRun > 0 ? " " : "";
  return `${fence}${space}${visible(text)}${space}${fence}`;
}

function shortened(text: string): string {
  return text.length > 1000 ? `${text.slice(0, 1000)}…` : text;
}

/** Something of the program within a sentence of our own, or within a table: no character of it means anything, nor calls anybody. */
function plain(text: string): string {
  return visible(text)
    .replace(/[\\`*_[\]<>|#&~!]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll("@", "&#64;<!-- -->");
}
