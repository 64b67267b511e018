import type { Quota } from "../account";
import { isOverQuota, type Review } from "../review";
import { dollars } from "../verdict";
import { quotaText, voiceChargeText } from "../words";

/** A large number at the top of the page. */
export interface Tile {
  id: string;
  label: string;
  value: string;
  text: string;
  /** Whether a limit is exceeded. */
  over: boolean;
}

export function tilesOf(review: Review): Tile[] {
  const { charge } = review;
  const { imageTasks, decisions } = charge;
  return [
    {
      id: "charge",
      label: "Charge for voices",
      value: charge.voices > 0 ? dollars(charge.atMost) : "–",
      text: voiceChargeText(review) + (charge.limit === undefined ? "" : `; limit ${dollars(charge.limit)}`),
      over: charge.limit !== undefined && charge.atMost > charge.limit,
    },
    countTile("images", "Image tasks", imageTasks, charge.imageTaskLimit),
    countTile("decisions", "Decisions", decisions, charge.decisionLimit),
  ];
}

function countTile(id: string, label: string, count: number, limit = Infinity): Tile {
  const text = (count === 0 ? "none" : "at unknown prices") + (limit === Infinity ? "" : `; limit ${grouped(limit)}`);
  return { id, label, value: grouped(count), text, over: count > limit };
}

export function voicesTile(review: Review) {
  const { quota } = review;
  const text = quotaText(review);
  if (!("limit" in quota)) return { text, over: false };
  const { now, peak, after, limit } = quota;
  const numbers = { now: grouped(now), peak: grouped(peak), after: grouped(after), limit: grouped(limit) };
  const over = isOverQuota(review) || peak > limit;
  return { text, numbers, bar: bar(quota), hasStackQuota: quota.stack !== undefined, over };
}

function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

/** The widths of the parts of the bar, in thousandths. */
function bar({ limit, now, peak, after }: Quota) {
  const width = 1000 / Math.max(limit, peak, 1);
  const coming = peak - now;
  const going = Math.min(now, Math.max(0, peak - after));
  return {
    kept: (now - going) * width,
    going: going * width,
    coming: coming * width,
    goingAt: (now - going) * width,
    comingAt: now * width,
    limitAt: Math.min(limit * width, 996),
    overAt: limit * width,
    over: Math.max(0, peak - limit) * width,
  };
}
