import { daysLeft, type Rights, storedRights, type StoredRights } from "../../rules/rights";
import { ageDays, dayOf, retentionWarnDays } from "../../rules/time";
import { visible } from "../../rules/visible";
import type { ListedVoice } from "../../service/voices/client";
import type { VoiceHolder } from "../../voices/holder";
import { ageText, selectVoices, type ShownVoice } from "../listing";
import { type Change, shownName } from "./change";
import type { ReviewFacts } from "./facts";
import { rightsText, shownRights } from "./fields";
import type { IdsInState } from "./ids";
import type { Step } from "./step";

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
  rights?: StoredRights | undefined;
  createdAt?: string | undefined;
}

export function remarksOn(voices: readonly Voice[], nowMs: number): Remarks {
  const endsOfRights = voices
    .flatMap(({ name, urn, voice, rights }) => {
      const until = rights?.known.until;
      if (rights === undefined || until === undefined) return [];
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
export function stayingVoices(steps: Step[], listed: ListedVoice[] = [], held: VoiceHolder[] = []): Voice[] {
  const rows = new Map(listed.map((row) => [row.voice, row]));
  const saved = new Map(held.map(({ voice, rights }) => [voice, rights]));
  return steps.flatMap(({ op, urn, oldState, newState }) => {
    if (!["same", "create", "update", "replace"].includes(op)) return [];
    const row = op === "same" || op === "update" ? rows.get(oldState?.id ?? "") : undefined;
    // A preview does not show secrets, but the state may have been read with its secrets.
    const savedRights = op === "same" ? saved.get(oldState?.id ?? "") : undefined;
    const rights = savedRights ?? storedRights((newState ?? oldState)?.inputs.rights);
    return [{ name: shownName(urn), urn, voice: row?.voice, rights, createdAt: row?.gmtCreate }];
  });
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

interface OtherVoice extends ShownVoice {
  /** The stack whose state has the voice, if one is known. */
  stack?: string;
}

export type Others = OtherVoice[] | { unknown: string };

/** The account's voices that the state does not have and that no change takes over, oldest first. */
export function othersOf(changes: Change[], listed: ListedVoice[], ids: IdsInState, facts: ReviewFacts): Others {
  const { preview, held, elsewhere, nowMs, todayMs = nowMs } = facts;
  if (!preview.whole && held === undefined)
    return {
      unknown:
        "the preview lacks unchanged resources. Run the preview with --show-sames, or name the stack with --stack",
    };
  const takenOver = new Set(changes.map(({ takes }) => takes));
  const others = listed.filter(({ voice }) => !ids.has(voice) && !takenOver.has(voice));
  return selectVoices(others, {}, todayMs).map((row) => {
    const stack = elsewhere?.get(row.voice);
    return { ...row, ...(stack !== undefined && { stack: visible(stack) }) };
  });
}

/** Describes a voice that is not in this stack: its age, and which stack has it. */
export function otherText(other: Pick<OtherVoice, "createdAt" | "ageDays" | "stack">): string {
  return [createdText(other), other.stack && `of the stack ${other.stack}`].filter(Boolean).join(", ");
}

/** `created 2025-01-01, age 689 days, may be deleted soon`. Empty if the age is not known. */
function createdText(row: Pick<VoiceRemark, "createdAt" | "ageDays">): string {
  return row.ageDays === undefined ? "" : `created ${dayOf(row.createdAt)}, age ${ageText(row)}`;
}
