import { overQuota } from "../../rules/preview-lines";
import { clonedVoices } from "../../service/voices/account";
import type { ListedVoice } from "../../service/voices/client";
import { Holdings, isOver, planVoices } from "../../voices/judge/voice-count";
import type { Change } from "./change";
import type { ReviewFacts } from "./facts";
import { type Quota, type StackQuota, voiceSteps } from "./voices";

/** The quota that the review shows, or why it is not known. */
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
  const exists = (voice: string) => present.has(voice);
  const before = { held: new Holdings(held ?? []), inAccount: clonedVoices(listed).length, exists };
  const { account, stack } = planVoices(voiceSteps(changes), before);
  // If the account lacks room for old and new voices together, a set first deletes as many old voices as necessary.
  const isOfSet = ({ urn, action, retained }: Change) =>
    urn.includes("VoiceSet$") && (action === "replace" || action === "delete") && retained !== true;
  const mayGoFirst = changes.filter(isOfSet).length;
  const peak = Math.min(account.peak, Math.max(voiceQuota, account.now, account.peak - mayGoFirst));
  return {
    ...{ limit: voiceQuota, check: quotaCheck, now: account.now, peak, after: account.after },
    ...(stackQuota !== undefined &&
      held && { stack: { limit: stackQuota, now: stack.now, peak: stack.peak, after: stack.after } }),
  };
}
