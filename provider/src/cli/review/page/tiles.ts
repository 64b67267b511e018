import { moneyText } from "../../../rules/price";
import type { Quota } from "../account";
import { isOverQuota, type Review } from "../review";
import { chargeText, pricedText, quotaText } from "../words";

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
  const { imageTasks, decisions, unpriced, limit, currency } = charge;
  const text = pricedText(review);
  return [
    {
      id: "charge",
      label: "Charge",
      value: text === "" ? "–" : moneyText(charge.atMost, currency),
      text:
        (text === "" ? chargeText(review) : text) +
        (limit === undefined ? "" : `; limit ${moneyText(limit, currency)}`),
      over: limit !== undefined && charge.atMost > limit,
    },
    countTile("images", "Image tasks", imageTasks, unpriced.imageTasks, charge.imageTaskLimit),
    countTile("decisions", "Decisions", decisions, unpriced.decisions, charge.decisionLimit),
  ];
}

function countTile(id: string, label: string, count: number, unpriced: number, limit = Infinity): Tile {
  const prices = unpriced === 0 ? "in the charge" : `${unpriced < count ? `${unpriced} ` : ""}at unknown prices`;
  const text = (count === 0 ? "none" : prices) + (limit === Infinity ? "" : `; limit ${grouped(limit)}`);
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
