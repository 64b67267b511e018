import { visible } from "../../rules/visible";
import { formatTable } from "../table";
import type { Change } from "./change";
import { type Group, groupsOf, manyChanges } from "./groups";
import { createdText, remarkLists } from "./remarks";
import type { Review } from "./review";
import * as words from "./words";

/** The review as text for a terminal. Without `all`, many changes are shown as groups that fit on one screen. */
export function textOf(review: Review, { all = false } = {}): string {
  const { changes, errors, notes, others } = review;
  const short = !all && changes.length >= manyChanges;
  const shorten = (lines: string[]) => (short ? firstOf(3, lines) : lines);
  const most = short ? 3 : 10;
  const otherVoices = Array.isArray(others) ? others : [];
  const otherLines = otherVoices.map((other) => `  ${[other.voice, createdText(other)].filter(Boolean).join(", ")}`);
  const account = [`charge: ${words.chargeText(review)}`, `voices: ${words.quotaText(review)}`];

  return `${[
    `${words.title(review)}: ${words.countsText(review)}`,
    ...words.alarms(review).map((line) => `! ${visible(line)}`),
    ...shorten(errors.map((error) => `  ${error}`)),
    ...(short ? account : []),
    ...(changes.length > 0 ? [(short ? tableOfGroups : tableOf)(changes, review.charge.currency)] : []),
    ...(short ? ["`--all` prints every change."] : account),
    ...remarkLists(review.remarks).flatMap(({ title: heading, lines }) => [
      `${heading}: ${lines.length}`,
      ...firstOf(
        most,
        lines.map(({ name, text }) => `  ${name}: ${text}`),
      ),
    ]),
    `other voices in the account: ${words.othersText(review)}`,
    ...firstOf(most, otherLines, "  … `npx --no-install pulumi-cloudvoice voices` lists all of them"),
    ...shorten(notes.map((note) => `note: ${note}`)),
  ].join("\n")}\n`;
}

function firstOf(most: number, lines: string[], rest = `  … and ${lines.length - most} more`): string[] {
  return lines.length > most ? [...lines.slice(0, most), rest] : lines;
}

function tableOf(changes: Change[], currency: string): string {
  const { head, rows, hasRights } = words.changeTable(changes, currency);
  const cells = rows.map(({ change, rights, charge }) => {
    const details = change.fields.map((field) => `\n  ${words.fieldText(change, field)}`).join("");
    const column = rights.map((text) => text.replaceAll("; ", "\n"));
    return [words.marks[change.action], change.kind, change.name, change.why + details, ...column, charge];
  });
  return formatTable(head, cells, [1, 8, 24, ...(hasRights ? [44, 24] : [58]), 10]);
}

const mostGroups = 6;

function tableOfGroups(changes: Change[], currency: string): string {
  const groups = groupsOf(changes);
  const largest = new Set([...groups].sort((a, b) => b.changes.length - a.changes.length).slice(0, mostGroups));
  const rows = groups
    .filter((group) => largest.has(group))
    .map((group) => [
      words.marks[group.action],
      words.groupText(group),
      `${group.reason}\n  ${namesText(group)}`,
      words.chargeShown(group.changes, currency),
    ]);
  const table = formatTable(["", "changes", "why", "charge"], rows, [1, 28, 64, 10]);
  const rest = groups.filter((group) => !largest.has(group));
  if (rest.length === 0) return table;
  const count = rest.reduce((sum, group) => sum + group.changes.length, 0);
  return `${table}\n… and ${count} more changes for ${rest.length} other reasons`;
}

/** Characters of the names in one line of the table, which leaves room for the number of the others. */
const namesWidth = 44;

/** As many names as fit in one line of the table. */
function namesText({ changes }: Group): string {
  const shown: string[] = [];
  for (const { name } of changes) {
    if (shown.length > 0 && [...shown, name].join(", ").length > namesWidth) break;
    shown.push(name.length > namesWidth ? `${name.slice(0, namesWidth - 1)}…` : name);
  }
  const rest = changes.length - shown.length;
  return rest === 0 ? shown.join(", ") : `${shown.map((name) => `${name}, `).join("")}… and ${rest} more`;
}
