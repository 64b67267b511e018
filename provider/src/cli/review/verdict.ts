import { isOverQuota, type Review } from "./review";

/** Pipelines depend on these. */
export const exitCodes = { noChanges: 0, failed: 1, changes: 2, overLimit: 3 };

export function exitCodeOf(review: Review): number {
  if (isOverQuota(review) || limitsExceeded(review).length > 0) return exitCodes.overLimit;
  const willFail = review.changes.some(({ warning }) => warning !== undefined);
  if (!review.complete || willFail || review.blocked !== undefined) return exitCodes.failed;
  return review.changes.length > 0 ? exitCodes.changes : exitCodes.noChanges;
}

/** A sentence for each limit of the command line that the update exceeds. */
export function limitsExceeded({ charge }: Review): string[] {
  const { atMost, limit, imageTasks, imageTaskLimit, decisions, decisionLimit } = charge;
  return [
    limit !== undefined && atMost > limit && `Over the limit of ${dollars(limit)} that --max-cost sets.`,
    imageTaskLimit !== undefined &&
      imageTasks > imageTaskLimit &&
      `Over the limit of ${imageTaskLimit} image tasks that --max-image-tasks sets.`,
    decisionLimit !== undefined &&
      decisions > decisionLimit &&
      `Over the limit of ${decisionLimit} decisions that --max-decisions sets.`,
  ].filter((line) => line !== false);
}

export function dollars(amount: number): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 6, useGrouping: false };
  return `$${amount.toLocaleString("en-US", digits)}`;
}
