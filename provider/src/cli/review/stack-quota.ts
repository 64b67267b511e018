import type { ExportedVoice } from "./account";
import { type Change, replacesOrDeletes } from "./change";

/** How many voices the stack holds, beside its own bound (`stackQuota`). */
export interface StackQuota {
  limit: number;
  now: number;
  /** The highest number at any time during the update. */
  peak: number;
  after: number;
}

/** A stack over its bound is a problem only for an update that adds voices. */
export function isOverStackQuota(quota: StackQuota | undefined): boolean {
  return quota !== undefined && quota.peak > quota.limit && quota.peak > quota.now;
}

/**
 * The rule of the update itself: voices are added first and removed last, except where a replacement deletes first. A
 * voice that is missing in the account counts as one to add, because a refresh creates it again.
 */
export function stackQuotaOf(
  changes: Change[],
  held: ExportedVoice[],
  exists: (voice: string) => boolean,
  limit: number,
): StackQuota {
  const ids = new Set(held.map(({ id }) => id).filter(exists));
  const voices = changes.filter(({ kind }) => kind === "voice");
  const taken = new Set(voices.flatMap(({ takes }) => takes ?? []));
  const added = voices.filter(
    ({ action, takes }) => action !== "update" && action !== "delete" && !(takes !== undefined && ids.has(takes)),
  );
  const going = [
    ...voices.filter(replacesOrDeletes).map(({ id = "" }) => id),
    ...held.filter(({ pendingDelete }) => pendingDelete).map(({ id }) => id),
  ];
  const removed = new Set(going.filter((id) => ids.has(id) && !taken.has(id)));
  const now = ids.size;
  const deletedFirst = added.filter(({ deletesFirst }) => deletesFirst).length;
  return {
    limit,
    now,
    peak: Math.max(now, now + added.length - deletedFirst),
    after: now + added.length - removed.size,
  };
}
