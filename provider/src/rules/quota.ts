import { nameInVoice, voiceCarriesName, withoutHash } from "./naming";
import type { Counts } from "./plan";
import type { QuotaCheck } from "./settings";
import { createdAt } from "./time";
import type { Listed } from "./voice";
import type { VoiceHolder } from "./voice-holder";

/** The error code at the end of the message. A review finds the failure by it in a preview's diagnostics. */
export const voiceQuotaExceeded = "VoiceQuotaExceeded";

/** Whether an update exceeds what the account, or its stack, may hold. */
export function isOver(
  whose: "account" | "stack",
  { now, peak, added }: Omit<Counts, "after">,
  limit: number,
): boolean {
  // The service refuses each create in a full account. A stack over its bound may still replace what it has.
  return peak > limit && (whose === "account" ? added > 0 : peak > now);
}

/** Why the update does not fit the account, or its stack (`stackQuota`); undefined when it does. */
export function quotaProblem(
  whose: "account" | "stack",
  counts: Omit<Counts, "after">,
  limit: number,
  check: QuotaCheck,
): string | undefined {
  if (check === "off" || !isOver(whose, counts, limit)) return undefined;
  const { now, peak, added } = counts;
  if (whose === "stack") {
    return (
      "the stack may not hold as many voices as this update needs: " +
      `it has ${now}, and with ${added} to add so far the update needs ${peak} at its peak; ` +
      `cloudvoice:stackQuota is ${limit}. Remove voices from the program first, let replacements delete first with ` +
      `deleteBeforeReplace, or raise cloudvoice:stackQuota (${voiceQuotaExceeded})`
    );
  }
  return (
    "the account is too small for this update: " +
    `it has ${now} ${now === 1 ? "voice" : "voices"}, and with ${added} to create so far ` +
    `the update needs ${peak} at its peak; the quota is ${limit}. ` +
    "Delete voices (`npx --no-install pulumi-cloudvoice voices` lists them, `npx --no-install pulumi-cloudvoice delete` deletes them), " +
    "let replacements delete first with deleteBeforeReplace, " +
    "or use another account. If the account has another quota, set cloudvoice:voiceQuota; " +
    `cloudvoice:quotaCheck turns this check into a warning (warn) or off (off) (${voiceQuotaExceeded})`
  );
}

/** What fills the account: groups of voices with one name, the oldest first. */
export function describeHolders(voices: Listed[], most = 8): string {
  const groups = new Map<string, { count: number; oldest: string }>();
  for (const { voice, gmtCreate } of voices) {
    const name = withoutHash(nameInVoice(voice) ?? voice);
    const oldest = createdAt(gmtCreate) ?? "9999";
    const group = groups.get(name) ?? { count: 0, oldest };
    // Stryker disable next-line EqualityOperator: two equal times are the same.
    groups.set(name, { count: group.count + 1, oldest: group.oldest < oldest ? group.oldest : oldest });
  }
  const sorted = [...groups].sort(([, a], [, b]) => a.oldest.localeCompare(b.oldest));
  const shown = sorted
    .slice(0, most)
    .map(
      ([name, { count, oldest }]) => `${count} × ${name}${oldest === "9999" ? "" : ` (since ${oldest.slice(0, 10)})`}`,
    );
  const rest = sorted.length - shown.length;
  return shown.join(", ") + (rest > 0 ? `, and ${rest} more ${rest === 1 ? "name" : "names"}` : "");
}

/**
 * Voices with a generated name of this stack that the stack does not have: their create ended after the run was killed,
 * unless another stack has them.
 */
export function orphanedVoices<T extends Listed>(
  listed: T[],
  held: readonly Pick<VoiceHolder, "voice" | "generatedName">[],
): T[] {
  const ids = new Set(held.map(({ voice }) => voice));
  const names = held.map(({ generatedName }) => generatedName).filter((name) => name !== undefined);
  return listed.filter(({ voice }) => !ids.has(voice) && names.some((name) => voiceCarriesName(voice, name, true)));
}
