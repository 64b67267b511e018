import { dynamicUrn } from "../../rules/resource-types";
import type { QuotaCheck } from "../../rules/settings";
import { visible } from "../../rules/visible";
import type { VoiceHolder } from "../../voices/holder";
import { type RecordedVoice, recordedElsewhere } from "../../voices/judge/missing";
import type { Counts, VoiceStep } from "../../voices/judge/voice-count";
import type { ListedVoice } from "../../service/voices/client";
import { type Change, isBilled } from "./change";
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

/** The stack's own quota (`stackQuota`), and how many voices the stack has. */
export interface StackQuota extends Omit<Counts, "added"> {
  limit: number;
}

/** The quota of the account, and how many voices it has. */
export interface Quota extends StackQuota {
  /** Whether an update over the limit is rejected: the setting `quotaCheck`. */
  check: QuotaCheck;
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
  isAccepted: (voice: string, recorded: string) => boolean = () => false,
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

/** The steps that change the number of voices. An update in place does not change it. */
export function voiceSteps(changes: Change[]): VoiceStep[] {
  return changes
    .filter(({ kind, action, unsure }) => kind === "voice" && action !== "update" && !(action === "replace" && unsure))
    .map((change) => ({
      ...{ urn: dynamicUrn(change.urn), creates: isBilled(change), takes: change.takes, old: change.id },
      leaves: leavesOf(change),
      retained: change.retained === true || change.heldBy !== undefined,
    }));
}

/** When the old voice leaves the account. A refresh removes a missing voice before its resource is created again. */
function leavesOf({ action, id, deletesFirst }: Change): VoiceStep["leaves"] {
  if (action !== "replace" && action !== "delete") return id === undefined ? undefined : "first";
  return deletesFirst ? "first" : "last";
}
