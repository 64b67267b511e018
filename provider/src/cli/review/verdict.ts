import { moneyText } from "../../rules/price";
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
  const { atMost, currency, limit, imageTasks, imageTaskLimit, decisions, decisionLimit } = charge;
  return [
    limit !== undefined && atMost > limit && `Over the limit of ${moneyText(limit, currency)} that --max-cost sets.`,
    imageTaskLimit !== undefined &&
      imageTasks > imageTaskLimit &&
      `Over the limit of ${imageTaskLimit} image tasks that --max-image-tasks sets.`,
    decisionLimit !== undefined &&
      decisions > decisionLimit &&
      `Over the limit of ${decisionLimit} decisions that --max-decisions sets.`,
  ].filter((line) => line !== false);
}

/** A sentence for what `--max-cost` does not bound, and no other limit either. */
export function uncoveredText({ charge }: Review): string[] {
  const { limit, unpriced, imageTaskLimit, decisionLimit } = charge;
  if (limit === undefined) return [];
  const line = (count: number, what: string, setting: string, option: string) =>
    `--max-cost does not cover ${count} ${what}${count === 1 ? "" : "s"} at unknown prices. Set cloudvoice:${setting}, or use ${option}.`;
  return [
    unpriced.imageTasks > 0 &&
      imageTaskLimit === undefined &&
      line(unpriced.imageTasks, "image task", "imagePrice", "--max-image-tasks"),
    unpriced.decisions > 0 &&
      decisionLimit === undefined &&
      line(unpriced.decisions, "decision", "decisionPricePerMillionTokens", "--max-decisions"),
  ].filter((text) => text !== false);
}
