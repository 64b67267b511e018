import type { ListedVoice } from "../rules/voice";
import { nameInVoice } from "../rules/naming";
import { ageDays, retentionWarnDays } from "../rules/time";
import { counted, visible } from "../rules/visible";
import { formatTable } from "./table";

/** A voice of the account, as the command line shows it. */
export interface ShownVoice {
  voice: string;
  name: string;
  targetModel: string;
  /** In ISO 8601, or, if the service's text was not understood, that text. Empty if the time is not known. */
  createdAt: string;
  ageDays?: number | undefined;
  /** The resource and the stack whose state has the voice. Absent if the states were not read. */
  heldBy?: string;
}

/** The selected voices, oldest first. */
export function selectVoices(listed: ListedVoice[], { prefix = "" }: { prefix?: string }, nowMs: number): ShownVoice[] {
  return listed
    .map((row) => rowOf(row, nowMs))
    .filter((row) => row.name.startsWith(prefix))
    .sort((a, b) => a.createdAt.localeCompare(b.createdAt));
}

export function rowOf({ voice, targetModel, createdAt }: ListedVoice, nowMs: number): ShownVoice {
  const name = nameInVoice(voice) ?? "";
  return { voice, name, targetModel, createdAt: createdAt ?? "", ageDays: ageDays(createdAt, nowMs) };
}

export function tableOfVoices(rows: ShownVoice[]): string {
  const wereStatesRead = rows.some(({ heldBy }) => heldBy !== undefined);
  const cells = (row: ShownVoice) => [
    ...[row.voice, row.name, row.targetModel, row.createdAt, ageText(row)],
    ...(wereStatesRead ? [row.heldBy ?? ""] : []),
  ];
  return formatTable(
    ["voice", "name", "target model", "created", "age", ...(wereStatesRead ? ["held by"] : [])],
    rows.map((row) => cells(row).map(visible)),
  );
}

/** `689 days, may be deleted soon`; empty if the age is not known. */
export function ageText({ ageDays: age }: { ageDays?: number | undefined }): string {
  if (age === undefined) return "";
  return counted(age, "day") + (age > retentionWarnDays ? ", may be deleted soon" : "");
}
