import { createHash } from "node:crypto";
import { join } from "node:path";
import base from "./base.css";
import changesStyle from "./changes.css";
import media from "./media.css";
import { moneyText } from "../../../rules/price";
import { secretText } from "../../../rules/rights";
import { inParts, visible } from "../../../rules/visible";
import script from "./page.browser.js";
import template from "./page.html";
import type { Change } from "../change";
import { type FieldChange, rightsText } from "../fields";
import { groupsOf, manyChanges } from "../words";
import { addressOf, type PageOptions, type Recording, Recordings } from "./recordings";
import { remarkLists } from "../remarks";
import { isOverQuota, type Quota } from "../quota";
import type { Review } from "../review";
import * as words from "../words";

export interface Page {
  html: string;
  /** For example `2 recordings (0.4 MB)`; undefined if the page has none. */
  embedded: string | undefined;
  /** Why the page can't play a recording of a change. */
  missing: ReadonlyMap<Change, string>;
}

/** The most changes that are open when the page loads: the first ones to hear, to see or to judge. */
const mostOpen = 10;
/** Fewer with `manyChanges`, so that the groups after the first are not far below. */
const mostOpenOfMany = 3;
/** From this number on, no change is open, so that all groups fit on a screen. */
const tooManyToOpen = 100;

const style = [base, changesStyle, media].join("");

/** Renders the page: one HTML file, which may link to files of the working copy. The template escapes every text. */
export async function pageOf(review: Review, options: PageOptions): Promise<Page> {
  const { default: mustache } = await import("mustache");
  const recordings = new Recordings(options);
  const { changes, charge } = review;
  const groups = [];
  let open = 0;
  const missing = new Map<Change, string>();
  for (const group of groupsOf(changes)) {
    const rows = [];
    for (const change of group.changes) {
      const playable = await recordings.of(change);
      const reasons = playable.flatMap(({ label, missing: reason }) =>
        reason ? [`${label.split(":")[0]}: ${reason}`] : [],
      );
      if (reasons.length > 0) missing.set(change, reasons.join(" "));
      const row = rowOf(change, charge.currency, playable, options);
      const mayOpen =
        open < (changes.length < manyChanges ? mostOpen : mostOpenOfMany) && changes.length < tooManyToOpen;
      const isOpen = mayOpen && (playable.length + row.pictures.length > 0 || change.gate !== undefined);
      if (isOpen) open++;
      rows.push({ ...row, isOpen });
    }
    groups.push({
      ...group,
      mark: words.marks[group.action],
      text: words.groupText(group),
      charge: words.chargeShown(group.changes, charge.currency),
      of: rows.length,
      rows,
      open: changes.length < manyChanges || rows.some(({ isOpen }) => isOpen),
    });
  }
  const sources = groups.flatMap(({ rows }) => rows.flatMap((row) => row.recordings.map(({ src }) => src)));
  const view = {
    ...review,
    style,
    script,
    policy: policy(sources.some((src) => src?.startsWith("http"))),
    title: words.title(review),
    counts: words.countsText(review),
    alarms: words.alarms(review),
    embedded: recordings.embedded,
    withheld: options.isPublished && options.embedBytes === 0 ? words.howToHear(review) : undefined,
    tiles: tilesOf(review),
    voices: voicesTile(review),
    deletedHeading: words.deletedHeading,
    hasChanges: changes.length > 0,
    groups,
    kinds: [...new Set(changes.map(({ kind }) => kind))],
    actions: [...new Set(changes.map(({ action }) => action))],
    remarks: remarkLists(review.remarks),
    notesOpen: Math.max(changes.length, review.notes.length) < manyChanges,
  };
  const shown = (text: string) => mustache.escape(visible(text));
  const escape = (text: unknown) => inParts(String(text), shown, ["<bdi>", "</bdi>"]);
  return { html: mustache.render(template, view, undefined, { escape }), embedded: recordings.embedded, missing };
}

function rowOf(change: Change, currency: string, recordings: Recording[], options: PageOptions) {
  const { action, audio } = change;
  const pictures = (change.pictures ?? []).flatMap((file) => {
    // `src` is also undefined for an object in a bucket, which a page can't show.
    const src = addressOf(join(options.programFolder, file), options);
    return src === undefined ? [] : [{ src: options.isPublished === true ? undefined : src, label: `now: ${file}` }];
  });
  return {
    ...change,
    recordings,
    pictures,
    isRedrawn: action === "replace",
    mark: words.marks[action],
    charge: words.chargeShown([change], currency),
    amount: change.charge,
    rights: change.rights && rightsText(change.rights),
    what: whatText(change),
    length: lengthText(change),
    seconds: audio?.new?.seconds ?? audio?.old?.seconds ?? 0,
    changesFields: isChange(change) && change.fields.length > 0,
    fields: change.fields.map((field) => fieldOf(change, field)),
  };
}

function isChange({ action }: Change): boolean {
  return action === "replace" || action === "update";
}

/** Returns the old and the new value of a changed field, or one text if the field is new or both look the same. */
function fieldOf(change: Change, field: FieldChange) {
  const looksSame = field.looksSame === true || (field.old === secretText && field.new === field.old);
  if (!isChange(change) || looksSame) return { field: field.field, text: words.valueText(change, field) };
  return { field: field.field, values: { old: field.old ?? "(none)", fresh: field.new ?? "(none)" } };
}

/** The text in the row of a change: the changed fields, or the main input of a new resource. */
function whatText(change: Change): string {
  const { fields } = change;
  if (isChange(change)) return fields.map((field) => words.fieldText(change, field)).join("; ");
  const source = fields.find(({ field }) => ["audio", "prompt", "state"].includes(field));
  return source?.new ?? change.id ?? "";
}

/** `13.7 → 14.3 s`. */
function lengthText({ audio }: Change): string {
  const lengths = [audio?.old?.seconds, audio?.new?.seconds].flatMap((seconds) => seconds?.toFixed(1) ?? []);
  return lengths.length === 0 ? "" : `${[...new Set(lengths)].join(" → ")} s`;
}

/** Even with injected text, only the page's own style and script run. Only recordings with a URL use the network. */
function policy(hasUrls: boolean): string {
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  return [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "img-src 'self' file:",
    `media-src 'self' data: file:${hasUrls ? " http: https:" : ""}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** The large numbers at the top of the page, without those that are 0. `over`: whether a limit is exceeded. */
function tilesOf(review: Review) {
  const { charge } = review;
  const { imageTasks, decisions, unpriced, limits, currency } = charge;
  const tiles = [
    {
      id: "charge",
      label: "Charge",
      value: words.pricedText(review) === "" ? "–" : moneyText(charge.atMost, currency),
      text: words.chargeText(review) + (limits.cost === undefined ? "" : `; limit ${moneyText(limits.cost, currency)}`),
      over: limits.cost !== undefined && charge.atMost > limits.cost,
    },
  ];
  if (imageTasks > 0) tiles.push(countTile("images", "Image tasks", imageTasks, unpriced.imageTasks, limits.images));
  if (decisions > 0) tiles.push(countTile("decisions", "Decisions", decisions, unpriced.decisions, limits.decisions));
  return tiles;
}

function countTile(id: string, label: string, count: number, unpriced: number, limit = Infinity) {
  const prices = unpriced === 0 ? "in the charge" : `${unpriced < count ? `${unpriced} ` : ""}at unknown prices`;
  const text = prices + (limit === Infinity ? "" : `; limit ${grouped(limit)}`);
  return { id, label, value: grouped(count), text, over: count > limit };
}

/** Absent if no voice is created. With several accounts, the numbers are those of the account that is fullest. */
function voicesTile(review: Review) {
  const { quotas } = review;
  const [quota] = [...quotas].sort((a, b) => b.peak / b.limit - a.peak / a.limit);
  if (quota === undefined) return undefined;
  const { now, peak, after, limit } = quota;
  const numbers = { now: grouped(now), peak: grouped(peak), after: grouped(after), limit: grouped(limit) };
  const [text, over] = [words.quotaText(review), isOverQuota(review)];
  return { text, numbers, bar: bar(quota), hasMore: quotas.length > 1, over };
}

function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

/** The widths and positions of the parts of the bar, in thousandths of its width. */
function bar({ limit, now, peak, after }: Quota) {
  const width = 1000 / Math.max(limit, peak, 1);
  const coming = peak - now;
  const going = Math.min(now, Math.max(0, peak - after));
  return {
    staying: (now - going) * width,
    going: going * width,
    coming: coming * width,
    goingAt: (now - going) * width,
    comingAt: now * width,
    limitAt: Math.min(limit * width, 996),
    overAt: limit * width,
    over: Math.max(0, peak - limit) * width,
  };
}
