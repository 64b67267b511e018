import { counted, inParts, isolated, visible } from "../../rules/visible";
import { formatTable } from "../table";
import { colouring, type Paint, plain } from "../print";
import type { Change } from "./change";
import { type Group, groupsOf, manyChanges } from "./words";
import { remarkLists } from "./remarks";
import type { Review } from "./review";
import * as words from "./words";

interface TextOptions {
  all?: boolean | undefined;
  width?: number;
  paint?: Paint;
}

/** The review as text for a terminal. Without `all`, many changes show as groups that fit on one screen. */
export function textOf(review: Review, { all = false, width = Infinity, paint = plain }: TextOptions = {}): string {
  const { changes, errors, notes } = review;
  const short = !all && changes.length >= manyChanges;
  const shorten = (lines: string[]) => (short ? firstOf(3, lines) : lines);
  const most = short ? 3 : 10;
  const account = [`charge: ${words.chargeText(review)}`, `voices: ${words.quotaText(review)}`];

  return `${[
    `${paint("title", words.title(review))}: ${words.countsText(review)}`,
    ...words.alarms(review).map((line) => paint("bad", `! ${inParts(line, visible)}`)),
    ...shorten(errors.map((error) => paint("bad", `  ${error}`))),
    ...(short ? account : []),
    ...(changes.length > 0
      ? [(short ? tableOfGroups : tableOf)(changes, review.charge.currency, { width, paint })]
      : []),
    ...(short ? ["`--all` prints every change."] : account),
    ...deletedLines(review, short),
    ...remarkLists(review.remarks).flatMap(({ title: heading, lines }) => [
      `${heading}: ${lines.length}`,
      ...firstOf(
        most,
        lines.map(({ name, text }) => `  ${isolated(name)}: ${isolated(text)}`),
      ),
    ]),
    ...shorten(notes.map((text) => `note: ${text}`)),
  ].join("\n")}\n`;
}

/** When the changes are shown as groups, the deleted voices are only counted. `--all` lists them. */
function deletedLines({ goingVoices }: Review, short: boolean): string[] {
  const lines = goingVoices.map(({ voice, name }) => `  ${isolated(visible(voice))} (${isolated(name)})`);
  return lines.length === 0 ? [] : [`${words.deletedHeading}: ${lines.length}`, ...(short ? [] : lines)];
}

function firstOf(most: number, lines: string[], rest = `  … and ${lines.length - most} more`): string[] {
  return lines.length > most ? [...lines.slice(0, most), rest] : lines;
}

type Look = Required<Pick<TextOptions, "width" | "paint">>;

/** Options of a table whose first column has the actions' marks in their colours. */
function marked(items: readonly Pick<Change, "action">[], { width, paint }: Look) {
  const meanings = items.map(({ action }) => words.meanings[action]);
  return { width, paint: colouring(0, meanings, paint) };
}

function tableOf(changes: Change[], currency: string, look: Look): string {
  const { head, rows, hasRights } = words.changeTable(changes, currency);
  const cells = rows.map(({ change, rights, charge }) => {
    const details = change.fields.map((field) => `\n  ${words.fieldText(change, field)}`).join("");
    const column = rights.map((text) => text.replaceAll("; ", "\n"));
    return [words.marks[change.action], change.kind, change.name, change.why + details, ...column, charge];
  });
  return formatTable(head, cells, [1, 8, 24, ...(hasRights ? [44, 24] : [58]), 10], marked(changes, look));
}

const mostGroups = 6;

function tableOfGroups(changes: Change[], currency: string, look: Look): string {
  const groups = groupsOf(changes);
  // Decisions are always listed: one of them may stop the whole update.
  const decisions = groups.filter(({ kind }) => kind === "decision");
  const others = groups.filter(({ kind }) => kind !== "decision");
  const bySize = others.sort((a, b) => b.changes.length - a.changes.length);
  const largest = new Set([...decisions, ...bySize.slice(0, Math.max(0, mostGroups - decisions.length))]);
  const shown = groups.filter((group) => largest.has(group));
  const rows = shown.map((group) => [
    words.marks[group.action],
    words.groupText(group),
    `${group.reason}\n  ${namesText(group)}`,
    words.chargeShown(group.changes, currency),
  ]);
  const table = formatTable(["", "changes", "why", "charge"], rows, [1, 28, 64, 10], marked(shown, look));
  const rest = groups.filter((group) => !largest.has(group));
  if (rest.length === 0) return table;
  const count = rest.reduce((sum, group) => sum + group.changes.length, 0);
  return `${table}\n… and ${counted(count, "more change")} for ${counted(rest.length, "other reason")}`;
}

/** The most characters for names in a line of the table. The rest of the line has room for a count. */
const namesWidth = 44;

/** Joins as many names as fit in one line of the table, and counts the others. */
function namesText({ changes }: Group): string {
  const shown: string[] = [];
  for (const { name } of changes) {
    if (shown.length > 0 && [...shown, name].join(", ").length > namesWidth) break;
    shown.push(isolated(name.length > namesWidth ? `${name.slice(0, namesWidth - 1)}…` : name));
  }
  const rest = changes.length - shown.length;
  return rest === 0 ? shown.join(", ") : `${shown.map((name) => `${name}, `).join("")}… and ${rest} more`;
}
