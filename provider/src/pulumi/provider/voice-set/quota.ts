import { describeThrown } from "../../../describe-thrown";
import { type CheckedVoice, hasGeneratedName } from "../../../rules/voice";
import { Holdings, isOver, type VoiceStep } from "../../../voices/judge/quota";
import type { Operation } from "../operation";
import { dynamicUrn } from "../../../rules/resource-types";
import { entryUrn } from "../../../rules/voice-set";
import type { Resource } from "../lifecycle";
import { verdictAtCreate } from "../voice/existing";
import { isRefused, limitProblem } from "../voice/quota";
import { entryOf, type SetResource } from "./entry";
import type { InterruptedUpdates } from "./interrupted";

/** Whether the URN belongs to an entry of the set. */
function isOfSet(urn: string, { identity }: SetResource): boolean {
  const ofSet = dynamicUrn(entryUrn(identity.savedUrn, "")).slice(0, -'[""]'.length);
  return urn.startsWith(ofSet) && /^[.[]/.test(urn.slice(ofSet.length));
}

interface Need {
  /**
   * `from`: the key under which the set has the voice. `makes`: whether the entry makes or takes another voice, judged
   * by the saved inputs. After an update that failed in part, the saved inputs are outdated, and the state shows more.
   */
  entries: { key: string; from: string; makes: boolean; inputs: Partial<CheckedVoice> }[];
  /** Removed keys, judged by the saved inputs. */
  removed: string[];
  deletesFirst: boolean;
  /** The old voices stay in the account. */
  keepsOld: boolean;
}

/**
 * Judges once whether the account and the stack have room for what a set needs. Where old voices have to go first, they
 * do: those of removed entries, and then those that are replaced.
 */
export function setQuota(operation: Operation, interrupted: InterruptedUpdates) {
  const { settings, service, states, quota, log } = operation;
  return async (resource: SetResource, need: Need): Promise<string | undefined> => {
    const { quotaCheck, voiceQuota } = settings;
    if (quotaCheck === "off") return undefined;
    const saved = await states.ownAtStart().catch((error: unknown) => describeThrown(error).message);
    const held = typeof saved === "string" ? new Holdings([]) : quota.holdings(saved.holders);
    const urnOf = (key: string) => entryOf(resource, key).identity?.urn ?? "";
    // Workaround: the engine passes no alias to `check`, so the state may have the set under another URN.
    const isInState = [...held.voiceByUrn.keys()].some((urn) => isOfSet(urn, resource));
    const isMissing = (key: string) => isInState && !held.voiceByUrn.has(urnOf(key));
    const made = need.entries.filter(({ from, makes }) => makes || isMissing(from));
    if (made.length === 0) return undefined;
    let inAccount: number;
    let orphans: number;
    const takes = new Map<string, string | undefined>();
    try {
      inAccount = await service.account.countAtStart();
      for (const { key, inputs } of made) takes.set(urnOf(key), await takenBy(entryOf(resource, key), inputs));
      orphans = await orphansOf(resource, made, held);
    } catch (error) {
      if (isRefused(error)) throw error;
      log.warn(`the quota could not be checked: ${describeThrown(error).message}`);
      return undefined;
    }
    const makes = new Set(made.map(({ key }) => urnOf(key)));
    const stays = new Set([...makes, ...need.entries.map(({ from }) => urnOf(from))]);
    const removed =
      typeof saved === "string"
        ? need.removed.map(urnOf)
        : [...held.voiceByUrn.keys()].filter((urn) => isOfSet(urn, resource) && !stays.has(urn));
    // The voice may already be there, made by an update that failed in part.
    const isReplaced = (urn: string) => held.voiceByUrn.has(urn) && held.voiceByUrn.get(urn) !== takes.get(urn);
    const leaving = [...removed, ...[...makes].filter(isReplaced)];
    const stepOf = (urn: string, leaves: VoiceStep["leaves"]): VoiceStep => ({
      ...{ urn, leaves, retained: need.keepsOld, takes: takes.get(urn) },
      creates: makes.has(urn) && takes.get(urn) === undefined,
    });
    for (const urn of makes)
      quota.add(stepOf(urn, isReplaced(urn) ? (need.deletesFirst ? "first" : "last") : undefined));
    for (const urn of removed) quota.add(stepOf(urn, "last"));
    // In a full account, voices that a killed update left or that could not be deleted yet are deleted first.
    const gone = orphans + held.oldCopies.filter(({ urn }) => isOfSet(urn, resource)).length;
    const counts = () => quota.counts(inAccount - gone, held);
    const excess = counts().account.peak - voiceQuota;
    if (isOver("account", counts().account, voiceQuota) && !need.keepsOld && !need.deletesFirst) {
      const first = leaving.slice(0, excess);
      for (const urn of first) quota.add(stepOf(urn, "first"));
      if (first.length > 0 && !isOver("account", counts().account, voiceQuota))
        log.line(
          `the account has no room for old and new voices: ${first.length} of ${leaving.length} old ones are deleted before ` +
            "new ones are created, one after the other",
        );
    }
    return limitProblem({ settings, log }, { ...counts(), unread: typeof saved === "string" ? saved : undefined });
  };

  /** How many voices of killed updates no entry has or takes. */
  async function orphansOf(resource: SetResource, made: Need["entries"], held: Holdings): Promise<number> {
    const wanted = new Set(made.map(({ inputs }) => inputs.preferredName));
    let count = 0;
    const { intended, existing } = await interrupted.last(resource);
    for (const { preferredName, targetModel } of intended) {
      if (wanted.has(preferredName)) continue;
      const found = await service.account.named(preferredName, targetModel);
      const left = found.filter((row) => !held.voices.has(row.voice) && !existing.includes(row.voice));
      count += (await interrupted.unheld(left)).length;
    }
    return count;
  }

  /** The voice that the entry will adopt, or reuse by the verdict of its create. */
  async function takenBy(entry: Resource, inputs: Partial<CheckedVoice>): Promise<string | undefined> {
    const { adopt, preferredName = "", targetModel = "" } = inputs;
    if (adopt !== undefined || !hasGeneratedName(inputs)) return adopt;
    const found = await operation.service.account.named(preferredName, targetModel);
    const verdict = await verdictAtCreate(operation, inputs as CheckedVoice, entry, found);
    return verdict.action === "reuse" ? verdict.voice.voice : undefined;
  }
}
