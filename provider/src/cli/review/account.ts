import { visible } from "../../rules/visible";
import type { VoiceHolder } from "../../voices/holder";
import { type RecordedVoice, recordedElsewhere } from "../../voices/judge/missing";
import type { ListedVoice } from "../../service/voices/client";
import type { Step } from "./preview";

export type AccountVoices = ListedVoice[] | { unknown: string };

export interface StatesAndAccount {
  held: VoiceHolder[];
  /** Voices that programs only read (`CloudVoice.get`). No update creates or deletes them. */
  read: VoiceHolder[];
  listed: ListedVoice[];
  fingerprint: string;
  nowMs: number;
}

/** The voices of the stack's state with their accounts, from the preview's steps and the exported state. */
export function inState(steps: Step[], exported: readonly RecordedVoice[] = []): RecordedVoice[] {
  const fromSteps = steps.flatMap(({ oldState }): RecordedVoice[] => {
    const account = oldState?.outputs.account;
    return oldState?.id === undefined || typeof account !== "string" ? [] : [{ voice: oldState.id, account }];
  });
  return [...fromSteps, ...exported];
}

/** Returns the account's list. Unknown if the list seems to be another account's, unless a person accepts the list. */
export function trustedAccount(
  account: AccountVoices,
  held: readonly RecordedVoice[],
  fingerprint: string | undefined,
  isAccepted: (voice: string, recorded: string) => boolean,
): AccountVoices {
  if (!Array.isArray(account) || fingerprint === undefined) return account;
  const foreign = recordedElsewhere(held, new Set(account.map(({ voice }) => voice)), fingerprint);
  if (foreign === undefined || isAccepted(foreign.voice, foreign.account ?? "")) return account;
  return {
    unknown:
      `the key or the address seems to belong to another account: the listed account does not have the voice ` +
      `${visible(foreign.voice)}, and the state records another key or address for it`,
  };
}
