import { accountId, type Plan, quotaCode } from "../../rules/plan-line";
import { type Change, goingVoices, isBilled } from "./change";
import type { Step } from "./preview";

/** The quota of an account in which the update creates voices, and how many voices the account has. */
export interface Quota {
  /** A hash that tells accounts apart. */
  account: string;
  limit: number;
  now: number;
  /** At most during the update. */
  peak: number;
  after: number;
}

export function isOverQuota({ quotas, changes }: { quotas: Quota[]; changes: readonly Change[] }): boolean {
  return (
    quotas.some(({ peak, limit }) => peak > limit) || changes.some(({ warning = "" }) => warning.includes(quotaCode))
  );
}

/**
 * Counts the voices of each account in which the update creates one. New voices are created first and old ones are
 * deleted last, except where a replacement deletes first.
 */
export function quotasOf(
  changes: readonly Change[],
  steps: readonly Step[],
  plans: ReadonlyMap<string, Plan>,
): Quota[] {
  const quotas = new Map<string, Quota>();
  // A voice that the account lacks is not in `now`, so its delete frees no place.
  const isCounted = (urn: string) => plans.get(urn)?.gone === undefined;
  const oldStates = new Map(steps.map(({ urn, oldState }) => [urn, oldState?.outputs]));
  for (const { urn } of changes) {
    const { account, now, limit } = plans.get(urn)?.quota ?? {};
    if (account !== undefined && now !== undefined && limit !== undefined && !quotas.has(account))
      quotas.set(account, { account, limit, now, peak: now, after: now });
  }
  for (const change of changes) {
    const quota = quotas.get(plans.get(change.urn)?.quota?.account ?? "");
    if (quota === undefined || change.kind !== "voice" || !isBilled(change)) continue;
    quota.after++;
    const isReplacedFirst = change.deletesFirst === true && isCounted(change.urn) && goes(change, changes);
    if (!isReplacedFirst) quota.peak++;
  }
  for (const { voice } of goingVoices(changes)) {
    const { urn = "" } = changes.find(({ id }) => id === voice) ?? {};
    const account = oldStates.get(urn)?.account;
    const quota = typeof account === "string" ? quotas.get(accountId(account)) : undefined;
    if (quota !== undefined && isCounted(urn)) quota.after--;
  }
  return [...quotas.values()];
}

const goes = ({ id }: Change, changes: readonly Change[]) => goingVoices(changes).some(({ voice }) => voice === id);
