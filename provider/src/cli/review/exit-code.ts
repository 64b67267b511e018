import { limitsExceeded } from "./over-limits";
import { isOverQuota } from "./quota";
import type { Review } from "./review";

/** The exit codes, on which pipelines depend. */
export const exitCodes = { reviewed: 0, failed: 1, changes: 2, overLimit: 3 };

/** `tellsChanges`: the option `--exit-code`. */
export function exitCodeOf(review: Review, tellsChanges = false): number {
  if (isOverQuota(review) || limitsExceeded(review).length > 0) return exitCodes.overLimit;
  const willFail = review.changes.some(({ warning }) => warning !== undefined);
  if (!review.complete || willFail || review.blocked !== undefined || review.questions.length > 0)
    return exitCodes.failed;
  return tellsChanges && review.changes.length > 0 ? exitCodes.changes : exitCodes.reviewed;
}
