import { visible } from "../../rules/visible";
import { formatTable } from "../table";
import type { OtherVoice } from "./account";
import type { Change } from "./change";
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

/** The review as text for a terminal. */
export async function textOf(review: Review): Promise<string> {
  const lines = [`${title(review)}: ${countsText(review)}`, ...alarms(review).map((line) => `! ${visible(line)}`)];
  lines.push(...review.errors.map((error) => `  ${error}`));

  if (review.changes.length > 0) {
    lines.push(await tableOf(review.changes));
  }
  lines.push(
    `charge: ${chargeText(review)}`,
    `voices: ${quotaText(review)}`,
    `other voices in the account: ${othersText(review)}`,
    ...(Array.isArray(review.others) ? linesOf(review.others) : []),
    ...review.notes.map((note) => `note: ${note}`),
  );
  return `${lines.join("\n")}\n`;
}

function tableOf(changes: Change[]): Promise<string> {
  const rows = changes.map((change) => {
    const details = change.fields.map((field) => `\n  ${fieldText(change, field)}`);
    return [marks[change.action], change.kind, change.name, change.why + details.join(""), chargeOfChange(change)];
  });
  return formatTable(["", "kind", "resource", "why", "charge"], rows, [1, 8, 24, 58, 8]);
}

const mostOthers = 10;

function linesOf(others: OtherVoice[]): string[] {
  const lines = others
    .slice(0, mostOthers)
    .map(({ voice, createdAt }) => `  ${voice}${createdAt === "" ? "" : `, created ${createdAt.slice(0, 10)}`}`);
  return others.length > mostOthers ? [...lines, "  … `npx pulumi-cloudvoice voices` lists all of them"] : lines;
}
