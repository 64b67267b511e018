import type { QuotaCheck } from "./settings";
import { nameInVoice, voiceCarriesName } from "./naming";
import { createdAt } from "./time";

/** What one process has seen of an update's need for voices, resource by resource, as the engine checks them. */
export class QuotaPlan {
  private readonly fresh = new Set<string>();
  private readonly freed = new Set<string>();

  /** A voice that would be created and paid for. */
  wants(resource: string): void {
    this.fresh.add(resource);
  }

  /** Its old voice goes before the new one comes. */
  freesFirst(resource: string): void {
    this.freed.add(resource);
  }

  /** Voices beyond those that exist, at the worst moment so far. */
  get peak(): number {
    return this.fresh.size - [...this.freed].filter((resource) => this.fresh.has(resource)).length;
  }

  get wanted(): number {
    return this.fresh.size;
  }
}

/** The error code at the end of the message. `cloudvoice review` finds the failure by it in a preview's diagnostics. */
export const voiceQuotaExceeded = "VoiceQuotaExceeded";

/** Why the update does not fit the account; undefined when it does. */
export function quotaFault(
  existing: number,
  plan: Pick<QuotaPlan, "peak" | "wanted">,
  quota: number,
  check: QuotaCheck,
): string | undefined {
  if (check === "off" || existing + plan.peak <= quota) return undefined;
  return (
    `the account is too small for this update: it has ${existing} ${existing === 1 ? "voice" : "voices"}, ${plan.wanted} to be created so far make ` +
    `${existing + plan.peak} at a time, and the quota is ${quota}. Delete voices (npx cloudvoice voices shows them), let replacements go first with ` +
    "deleteBeforeReplace, use another account, or, if the account's quota is another, set cloudvoice:voiceQuota; cloudvoice:quotaCheck sets error, warn or off " +
    `(${voiceQuotaExceeded})`
  );
}

interface Listed {
  voice: string;
  gmtCreate?: string | undefined;
}

/** Who fills the account: groups of names, those that have lain longest first. */
export function describeHolders(voices: Listed[], most = 8): string {
  const groups = new Map<string, { count: number; oldest: string }>();
  for (const { voice, gmtCreate } of voices) {
    // A generated name ends in its hash; what stands before it is what its makers know it by.
    const name = (nameInVoice(voice) ?? voice).replace(/_[0-9a-z]{8}$/, "_…");
    const oldest = createdAt(gmtCreate) ?? "9999";
    const group = groups.get(name);
    groups.set(name, {
      count: (group?.count ?? 0) + 1,
      oldest: group && group.oldest < oldest ? group.oldest : oldest,
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
}

/** Voices under generated names of this stack that its state does not hold: left by a create that ended after its run was killed. */
export function orphanedVoices<T extends Listed>(listed: T[], held: HeldVoice[]): T[] {
  const ids = new Set(held.map((voice) => voice.id));
  return listed.filter(
    ({ voice }) =>
      !ids.has(voice) &&
      held.some(({ preferredName }) => preferredName !== "" && voiceCarriesName(voice, preferredName, true)),
  );
}
