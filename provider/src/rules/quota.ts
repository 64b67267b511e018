import { nameInVoice, voiceCarriesName, withoutHash } from "./naming";
import type { QuotaCheck } from "./settings";
import { createdAt } from "./time";

/** How many voices an update needs, as far as the engine has checked its resources. */
export class QuotaPlan {
  private readonly created = new Set<string>();
  private readonly deletedFirst = new Set<string>();

  /** The update creates a voice for this resource, and pays for it. */
  wants(resource: string): void {
    this.created.add(resource);
  }

  /** The update deletes the resource's old voice before it creates the new one. */
  freesFirst(resource: string): void {
    this.deletedFirst.add(resource);
  }

  /** How many voices more than today exist at the peak of the update. */
  get peak(): number {
    return this.created.size - [...this.deletedFirst].filter((resource) => this.created.has(resource)).length;
  }

  get wanted(): number {
    return this.created.size;
  }
}

/** The error code at the end of the message. A review finds the failure by it in a preview's diagnostics. */
export const voiceQuotaExceeded = "VoiceQuotaExceeded";

/** Why the update does not fit the account; undefined when it does. */
export function quotaProblem(
  existing: number,
  plan: Pick<QuotaPlan, "peak" | "wanted">,
  quota: number,
  check: QuotaCheck,
): string | undefined {
  const peak = existing + plan.peak;
  if (check === "off" || peak <= quota) return undefined;
  return (
    "the account is too small for this update: " +
    `it has ${existing} ${existing === 1 ? "voice" : "voices"}, and with ${plan.wanted} to create so far ` +
    `the update needs ${peak} at its peak; the quota is ${quota}. ` +
    "Delete voices (`npx pulumi-cloudvoice voices` lists them, `npx pulumi-cloudvoice delete` deletes them), " +
    "let replacements delete first with deleteBeforeReplace, " +
    "or use another account. If the account has another quota, set cloudvoice:voiceQuota; " +
    `cloudvoice:quotaCheck turns this check into a warning (warn) or off (off) (${voiceQuotaExceeded})`
  );
}

/** Why the update needs more voices than the stack may hold (`stackQuota`); undefined when it does not. */
export function stackQuotaProblem(
  held: number,
  plan: Pick<QuotaPlan, "peak" | "wanted">,
  quota: number,
  check: QuotaCheck,
): string | undefined {
  const peak = held + plan.peak;
  if (check === "off" || peak <= quota) return undefined;
  return (
    "the stack may not hold as many voices as this update needs: " +
    `it has ${held}, and with ${plan.wanted} to add so far the update needs ${peak} at its peak; ` +
    `cloudvoice:stackQuota is ${quota}. Remove voices from the program first, let replacements delete first with ` +
    `deleteBeforeReplace, or raise cloudvoice:stackQuota (${voiceQuotaExceeded})`
  );
}

interface Listed {
  voice: string;
  gmtCreate?: string | undefined;
}

/** What fills the account: groups of voices with one name, the oldest first. */
export function describeHolders(voices: Listed[], most = 8): string {
  const groups = new Map<string, { count: number; oldest: string }>();
  for (const { voice, gmtCreate } of voices) {
    const name = withoutHash(nameInVoice(voice) ?? voice);
    const oldest = createdAt(gmtCreate) ?? "9999";
    const group = groups.get(name);
    // Stryker disable next-line EqualityOperator: two equal times are the same.
    const isOlder = group !== undefined && group.oldest < oldest;
    groups.set(name, {
      count: (group?.count ?? 0) + 1,
      oldest: isOlder ? group.oldest : oldest,
    });
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

export interface HeldVoice {
  id: string;
  preferredName: string;
  generated: boolean;
}

/**
 * Voices with a generated name of this stack that no stack holds: their create ended after the run was killed.
 * `elsewhere` are the voices that other stacks hold.
 */
export function orphanedVoices<T extends Listed>(
  listed: T[],
  held: HeldVoice[],
  elsewhere: ReadonlySet<string> = new Set(),
): T[] {
  const ids = new Set(held.map(({ id }) => id));
  const names = held.filter(({ generated }) => generated).map(({ preferredName }) => preferredName);
  return listed.filter(
    ({ voice }) =>
      !ids.has(voice) && !elsewhere.has(voice) && names.some((name) => voiceCarriesName(voice, name, true)),
  );
}
