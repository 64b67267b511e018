import type { ListedVoice } from "../rules/voice";
import { nameInUrn } from "../rules/resource-types";
import type { Rights } from "../rules/rights";
import { ageDays } from "../rules/time";
import type { VoiceHolder } from "./stacks/holder";
import { shownRights } from "./review/fields";

export interface StatesAndAccount {
  holders: VoiceHolder[];
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

/** The voices of all stacks, and those that no stack holds. */
export function voicesWithRights({ holders, read, listed, fingerprint, nowMs }: StatesAndAccount): VoiceWithRights[] {
  const rows = new Map(listed.map((row) => [row.voice, row]));
  const aged = (createdAt: string | undefined) => ({ createdAt, ageDays: ageDays(createdAt, nowMs) });
  const voicesOfStacks = holders.map((each): VoiceWithRights => {
    const { voice, rights, stack, savedUrn, audio, audioSha256, account } = each;
    const row = rows.get(voice);
    const isForeign = account !== undefined && account !== fingerprint;
    return {
      ...{ voice, stack, resource: nameInUrn(savedUrn), recording: audio, sha256: audioSha256 },
      rights: rights && shownRights(rights),
      ...aged(row?.createdAt ?? each.createdAt),
      live: row ? "yes" : isForeign ? "another account" : "no",
    };
  });
  const idsInStates = new Set([...holders, ...read].map(({ voice }) => voice));
  const unclaimed = listed.filter(({ voice }) => !idsInStates.has(voice));
  const voicesWithoutStack = unclaimed.map(({ voice, createdAt }): VoiceWithRights => ({
    voice,
    ...aged(createdAt),
    live: "yes",
  }));
  return [...voicesOfStacks, ...voicesWithoutStack];
}
