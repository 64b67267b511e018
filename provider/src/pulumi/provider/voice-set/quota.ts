import { describeThrown } from "../../../describe-thrown";
import { AuthenticationError } from "../../../errors";
import { type CheckedVoice, hasGeneratedName } from "../../../rules/voice";
import { Holdings, isOver, type VoiceStep } from "../../../voices/judge/quota";
import type { Operation } from "../operation";
import { entryUrn } from "../../../rules/voice-set";
import { limitProblem } from "../voice/quota";
import { entryOf, type SetResource } from "./entry";
import type { InterruptedUpdates } from "./interrupted";

/** Whether the URN is that of an entry of the set. */
const isOfSet = (savedUrn: string, { identity }: SetResource) =>
  savedUrn.startsWith(entryUrn(identity.savedUrn, "").slice(0, -'[""]'.length));

interface Need {
  /** The entries for which a voice is made or taken. */
  made: { key: string; inputs: Partial<CheckedVoice> }[];
  removed: string[];
  deletesFirst: boolean;
  /** The old voices stay in the account. */
  keepsOld: boolean;
}

/**
 * Judges once whether the account and the stack have room for what a set needs. Where old voices have to go first, they
 * do: those of removed entries, and then those that are replaced.
 */
export function setQuota({ settings, service, states, quota, log }: Operation, interrupted: InterruptedUpdates) {
  return async (resource: SetResource, need: Need): Promise<string | undefined> => {
    const { quotaCheck, voiceQuota } = settings;
    if (quotaCheck === "off" || need.made.length === 0) return undefined;
    const saved = await states.ownAtStart().catch((error: unknown) => describeThrown(error).message);
    const held = typeof saved === "string" ? new Holdings([]) : quota.holdings(saved.holders);
    let inAccount: number;
    let orphans: number;
    const takes = new Map<string, string | undefined>();
    try {
      inAccount = await service.account.countAtStart();
      for (const { key, inputs } of need.made) takes.set(key, await existing(inputs));
      orphans = await orphansOf(resource, need, held);
    } catch (error) {
      if (error instanceof AuthenticationError && error.status !== undefined) throw error;
      log.warn(`the quota could not be checked: ${describeThrown(error).message}`);
      return undefined;
    }
    const urnOf = (key: string) => entryOf(resource, key).identity?.urn ?? "";
    const isReplaced = (key: string) => held.voiceByUrn.has(urnOf(key));
    const leaving = [...need.removed, ...need.made.flatMap(({ key }) => (isReplaced(key) ? [key] : []))];
    const makes = new Set(need.made.map(({ key }) => key));
    const stepOf = (key: string, leaves: VoiceStep["leaves"]): VoiceStep => ({
      ...{ urn: urnOf(key), leaves, retained: need.keepsOld, takes: takes.get(key) },
      creates: makes.has(key) && takes.get(key) === undefined,
    });
    for (const { key } of need.made)
      quota.add(stepOf(key, isReplaced(key) ? (need.deletesFirst ? "first" : "last") : undefined));
    for (const key of need.removed) quota.add(stepOf(key, "last"));
    // What a killed update has left, and what could not be deleted yet, goes first where there is no room.
    const gone = orphans + held.oldCopies.filter(({ savedUrn }) => isOfSet(savedUrn, resource)).length;
    const counts = () => quota.counts(inAccount - gone, held);
    const excess = counts().account.peak - voiceQuota;
    if (isOver("account", counts().account, voiceQuota) && !need.keepsOld && !need.deletesFirst) {
      const first = leaving.slice(0, excess);
      for (const key of first) quota.add(stepOf(key, "first"));
      if (first.length > 0 && !isOver("account", counts().account, voiceQuota))
        log.line(
          `the account has no room for old and new voices: ${first.length} of ${leaving.length} old ones are deleted before ` +
            "new ones are created, one after the other",
        );
    }
    return limitProblem({ settings, log }, { ...counts(), unread: typeof saved === "string" ? saved : undefined });
  };

  /** How many voices of killed updates no entry has or takes. */
  async function orphansOf(resource: SetResource, { made }: Need, held: Holdings): Promise<number> {
    const wanted = new Set(made.map(({ inputs }) => inputs.preferredName));
    let count = 0;
    for (const { preferredName, targetModel } of await interrupted.lastIntended(resource)) {
      if (wanted.has(preferredName)) continue;
      const found = await service.account.named(preferredName, targetModel);
      count += found.filter((row) => !held.voices.has(row.voice)).length;
    }
    return count;
  }

  /** The voice that an entry adopts, or that a run which was killed has left under its name. */
  async function existing({ adopt, preferredName, targetModel, nameVersion }: Partial<CheckedVoice>) {
    if (adopt !== undefined || !hasGeneratedName({ nameVersion })) return adopt;
    const [found] = await service.account.named(preferredName ?? "", targetModel ?? "");
    return found?.voice;
  }
}
