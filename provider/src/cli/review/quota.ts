import { overQuota } from "../../rules/preview-lines";
import { dynamicUrn } from "../../rules/resource-types";
import type { QuotaCheck } from "../../rules/settings";
import { clonedVoices } from "../../service/voices/account";
import type { ListedVoice } from "../../service/voices/client";
import { type Counts, Holdings, isOver, planVoices, type VoiceStep } from "../../voices/judge/voice-count";
import { type Change, isBilled } from "./change";
import type { ReviewFacts } from "./facts";

/** The stack's own quota (`stackQuota`), and how many voices the stack has. */
interface StackQuota extends Omit<Counts, "added"> {
  limit: number;
}

/** The quota of the account, and how many voices it has. */
export interface Quota extends StackQuota {
  /** Whether an update over the limit is rejected: the setting `quotaCheck`. */
  check: QuotaCheck;
}

export type ShownQuota = (Quota & { stack?: StackQuota | undefined }) | { unknown: string };

interface Planned {
  quota: ShownQuota;
  charge: { voices: number };
  errors: string[];
  notes: string[];
}

export function isOverQuota({ quota, charge: { voices: added }, errors, notes }: Planned): boolean {
  if (errors.some(overQuota.isIn)) return true;
  if (!("limit" in quota) || quota.check !== "error") return false;
  // The preview has checked the quota too, and reported only a warning.
  if (notes.some(overQuota.isIn)) return true;
  const { stack } = quota;
  return (
    isOver("account", { ...quota, added }, quota.limit) ||
    (stack !== undefined && isOver("stack", { ...stack, added }, stack.limit))
  );
}

export function quotaOf(changes: Change[], listed: ListedVoice[], facts: ReviewFacts): ShownQuota {
  const { held, stackQuota, voiceQuota, quotaCheck } = facts;
  const present = new Set(listed.map(({ voice }) => voice));
  const { account, stack } = planVoices(voiceSteps(changes), {
    held: new Holdings(held ?? []),
    inAccount: clonedVoices(listed).length,
    exists: (voice) => present.has(voice),
  });
  return {
    ...{ limit: voiceQuota, check: quotaCheck, now: account.now, peak: account.peak, after: account.after },
    ...(stackQuota !== undefined &&
      held && { stack: { limit: stackQuota, now: stack.now, peak: stack.peak, after: stack.after } }),
  };
}

/** The steps that change the number of voices. An update in place does not change it. */
function voiceSteps(changes: Change[]): VoiceStep[] {
  return changes
    .filter(({ kind, action, unsure }) => kind === "voice" && action !== "update" && !(action === "replace" && unsure))
    .map((change) => ({
      ...{ urn: dynamicUrn(change.urn), creates: isBilled(change), takes: change.takes, old: change.id },
      leaves: leavesOf(change),
      retained: change.retained === true || change.heldBy !== undefined,
    }));
}

/**
 * Whether the old voice leaves before or after the new one is created. A voice that is missing in the account leaves
 * first, because a refresh removes it from the state before the create.
 */
function leavesOf({ action, id, deletesFirst }: Change): VoiceStep["leaves"] {
  if (action !== "replace" && action !== "delete") return id === undefined ? undefined : "first";
  return deletesFirst ? "first" : "last";
}
