import { nameInUrn } from "../rules/resource-types";
import type { Rights } from "../rules/rights";
import { ageDays } from "../rules/time";
import { visible } from "../rules/visible";
import type { ListedVoice } from "../service/voices/client";
import type { VoiceHolder } from "./stacks/holder";
import { ageText, counted } from "./listing";
import { shownRights } from "./review/fields";
import { formatTable } from "./table";

export interface StatesAndAccount {
  held: VoiceHolder[];
  /** Voices that programs only read (`CloudVoice.get`). No update creates or deletes them. */
  read: VoiceHolder[];
  listed: ListedVoice[];
  fingerprint: string;
  nowMs: number;
}

interface VoiceWithRights {
  voice: string;
  /** Absent if no state records rights for the voice. */
  rights?: Rights | undefined;
  /** The full name of the stack and the name of the resource; absent if no stack of the backend holds the voice. */
  stack?: string;
  resource?: string;
  /** The path or URL of the recording, and, for a file, the SHA-256. */
  recording?: string | undefined;
  sha256?: string | undefined;
  createdAt?: string | undefined;
  ageDays?: number | undefined;
  /** Whether the account has the voice. `another account`: the state records another key or address for the voice. */
  live: "yes" | "no" | "another account";
}

/** The voices of all stacks and those that no stack holds, sorted by holder and end of the rights. */
export function voicesWithRights({ held, read, listed, fingerprint, nowMs }: StatesAndAccount) {
  const rows = new Map(listed.map((row) => [row.voice, row]));
  const aged = (createdAt: string | undefined) => ({ createdAt, ageDays: ageDays(createdAt, nowMs) });
  const voicesOfStacks = held.map((each): VoiceWithRights => {
    const { voice, rights, stack, savedUrn, audio, audioSha256, account } = each;
    const row = rows.get(voice);
    const isForeign = account !== undefined && account !== fingerprint;
    return {
      ...{ voice, stack, resource: nameInUrn(savedUrn), recording: audio, sha256: audioSha256 },
      rights: rights && shownRights(rights),
      ...aged(row?.gmtCreate ?? each.createdAt),
      live: row ? "yes" : isForeign ? "another account" : "no",
    };
  });
  const idsInStates = new Set([...held, ...read].map(({ voice }) => voice));
  const unclaimed = listed.filter(({ voice }) => !idsInStates.has(voice));
  const voicesWithoutStack = unclaimed.map(({ voice, gmtCreate }): VoiceWithRights => ({
    voice,
    ...aged(gmtCreate),
    live: "yes",
  }));
  const order = ({ rights, voice }: VoiceWithRights) =>
    [rights?.holder ?? "\uffff", rights?.until ?? "9999", voice].join(" ");
  const voices = [...voicesOfStacks, ...voicesWithoutStack].sort((a, b) => order(a).localeCompare(order(b)));
  return { voices, stacks: new Set(held.map(({ stack }) => stack)).size, heldByNone: unclaimed.length };
}

export function tableOfRights(voices: readonly VoiceWithRights[]): string {
  const head = ["holder", "evidence", "until", "voice", "in account", "stack", "resource", "recording", "age"];
  const rows = voices.map(({ voice, rights, stack, resource, recording, sha256, live, ...age }) => [
    ...(rights ? [rights.holder, rights.evidence, rights.until ?? "no end"] : ["without rights", "", ""]),
    ...[voice, live, stack ?? "no stack", resource ?? ""],
    ...[[recording, sha256?.slice(0, 7)].filter(Boolean).join(" "), ageText(age)],
  ]);
  const cells = rows.map((row) => row.map(visible));
  return formatTable(head, cells, [24, 32, 10, 32, 10, 24, 24, 28, 12]);
}

export function rightsSummary({ voices, heldByNone, stacks }: ReturnType<typeof voicesWithRights>): string {
  const countText = voices.length === 0 ? "No voice" : counted(voices.length, "voice");
  const live = voices.filter((each) => each.live === "yes").length;
  const rest =
    heldByNone === 0
      ? "Every voice of the account is in a stack."
      : `${counted(heldByNone, "voice")} of the account ${heldByNone === 1 ? "is" : "are"} in no stack, so their holders are not known.`;
  return `${countText}, ${live} in the account. All states of the backend were read; stacks with voices: ${stacks}. ${rest}`;
}
