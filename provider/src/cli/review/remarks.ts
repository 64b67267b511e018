import { daysLeft, type Rights, secretText, storedRights } from "../../rules/rights";
import { ageDays, dayOf, retentionWarnDays } from "../../rules/time";
import { ageText } from "../listing";
import { shownName } from "./change";
import { rightsText, shownRights } from "./fields";
import type { Step } from "./preview";

interface VoiceRemark {
  name: string;
  urn: string;
  voice?: string | undefined;
  rights?: Rights;
  createdAt?: string;
  ageDays?: number | undefined;
}

/** Remarks about all voices, including unchanged ones. `--json` prints them as they are. */
export interface Remarks {
  rightsEnded: VoiceRemark[];
  rightsEndWithin30Days: VoiceRemark[];
  mayBeDeletedSoon: VoiceRemark[];
}

interface Voice extends Pick<VoiceRemark, "name" | "urn" | "voice"> {
  rights?: Rights | undefined;
  createdAt?: string | undefined;
}

export function remarksOn(voices: readonly Voice[], nowMs: number): Remarks {
  const endsOfRights = voices
    .flatMap(({ name, urn, voice, rights }) => {
      const until = rights?.until;
      if (rights === undefined || until === undefined || until === secretText) return [];
      return [{ daysToEnd: daysLeft(until, nowMs), remark: { name, urn, voice, rights: shownRights(rights) } }];
    })
    .sort((a, b) => a.daysToEnd - b.daysToEnd);
  const old = voices.flatMap(({ name, urn, voice, createdAt = "" }): VoiceRemark[] => {
    const age = ageDays(createdAt, nowMs);
    return age === undefined || age <= retentionWarnDays ? [] : [{ name, urn, voice, createdAt, ageDays: age }];
  });
  const within = (from: number, to: number) =>
    endsOfRights.flatMap(({ daysToEnd, remark }) => (daysToEnd >= from && daysToEnd <= to ? [remark] : []));
  return { rightsEnded: within(-Infinity, -1), rightsEndWithin30Days: within(0, 30), mayBeDeletedSoon: old };
}

/** The voices that exist after the update, as far as the preview shows them. */
export function stayingVoices(steps: readonly Step[]): Voice[] {
  const voices = steps.flatMap(({ op, urn, oldState, newState }) => {
    if (!["same", "create", "update", "replace"].includes(op)) return [];
    const stays = op === "same" || op === "update";
    const createdAt = stays ? oldState?.outputs.createdAt : undefined;
    return [
      {
        ...{ name: shownName(urn), urn, voice: stays ? oldState?.id : undefined },
        rights: storedRights((newState ?? oldState)?.inputs.rights),
        createdAt: typeof createdAt === "string" ? createdAt : undefined,
      },
    ];
  });
  // The order of the steps differs from preview to preview.
  return voices.sort((a, b) => (a.urn < b.urn ? -1 : 1));
}

export function remarkLists({ rightsEnded, rightsEndWithin30Days, mayBeDeletedSoon }: Remarks) {
  const withRights = (remarks: VoiceRemark[]) =>
    remarks.map(({ name, rights }) => ({ name, text: rights ? rightsText(rights) : "" }));
  return [
    { title: "Rights that have ended", lines: withRights(rightsEnded) },
    { title: "Rights that end within 30 days", lines: withRights(rightsEndWithin30Days) },
    {
      title: "Voices that may be deleted soon, because the service deletes those that were not used for a year",
      lines: mayBeDeletedSoon.map((remark) => ({ name: remark.name, text: createdText(remark) })),
    },
  ].filter(({ lines }) => lines.length > 0);
}

/** `created 2025-01-01, age 689 days, may be deleted soon`. Empty if the age is not known. */
function createdText(row: Pick<VoiceRemark, "createdAt" | "ageDays">): string {
  return row.ageDays === undefined ? "" : `created ${dayOf(row.createdAt)}, age ${ageText(row)}`;
}
