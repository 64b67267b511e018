import type { Review } from "./review";
import {
  alarms,
  chargeOfChange,
  chargeText,
  countsText,
  fieldText,
  marks,
  othersText,
  quotaText,
  title,
} from "./words";

/** For a terminal. */
export async function textOf(review: Review): Promise<string> {
  const lines = [`${title(review)}: ${countsText(review)}`, ...alarms(review).map((line) => `! ${line}`)];
  lines.push(...review.errors.map((error) => `  ${error}`));

  if (review.changes.length > 0) {
    const { default: Table } = await import("cli-table3");
    const table = new Table({
      head: ["", "kind", "resource", "why", "charge"],
      style: { head: [], border: [] },
      colWidths: [3, 10, 26, 60, 10],
      wordWrap: true,
      wrapOnWordBoundary: false,
    });
    for (const change of review.changes) {
      const details = change.fields.map((field) => `\n  ${fieldText(change, field)}`);
      table.push([
        marks[change.action],
        change.kind,
        change.name,
        change.why + details.join(""),
        chargeOfChange(change),
      ]);
    }
    lines.push(table.toString());
  }
  lines.push(
    `charge: ${chargeText(review)}`,
    `voices: ${quotaText(review)}`,
    `voices that this stack does not hold: ${othersText(review)}`,
  );
  if (Array.isArray(review.others))
    lines.push(
      ...review.others
        .slice(0, 10)
        .map(({ voice, createdAt }) => `  ${voice}${createdAt === "" ? "" : `, made ${createdAt.slice(0, 10)}`}`),
    );
  if (Array.isArray(review.others) && review.others.length > 10) lines.push("  … `cloudvoice voices` lists them all");
  lines.push(...review.notes.map((note) => `note: ${note}`));
  return `${lines.join("\n")}\n`;
}
