import { createHash } from "node:crypto";
import { join } from "node:path";
import base from "./base.css";
import changesStyle from "./changes.css";
import media from "./media.css";
import { secretText } from "../../../rules/rights";
import script from "./page.browser.js";
import template from "./page.html";
import type { Change } from "../change";
import { type FieldChange, rightsText } from "../fields";
import { type Group, groupsOf, manyChanges } from "../groups";
import { addressOf, type PageOptions, type Recording, Recordings } from "./recordings";
import { createdText, remarkLists } from "../remarks";
import type { Review } from "../review";
import { tilesOf, voicesTile } from "./tiles";
import { alarms, chargeOf, countsText, fieldText, groupText, marks, othersText, title, valueText } from "../words";

export type { PageOptions } from "./recordings";

const style = [base, changesStyle, media].join("");

/** One HTML file. It links to recordings and pictures of the working copy. The template escapes every text. */
export async function pageOf(review: Review, options: PageOptions): Promise<string> {
  const { default: mustache } = await import("mustache");
  const recordings = new Recordings(options);
  const { changes, charge } = review;
  const groups = [];
  for (const group of groupsOf(changes)) {
    const rows = [];
    for (const change of group.changes) rows.push(rowOf(change, charge.currency, await recordings.of(change), options));
    groups.push({ ...groupOf(group, charge.currency), rows, open: changes.length < manyChanges });
  }
  const sources = groups.flatMap(({ rows }) => rows.flatMap((row) => row.recordings.map(({ src }) => src)));
  return mustache.render(template, {
    style,
    script,
    policy: policy(sources.some((src) => src?.startsWith("http"))),
    title: title(review),
    counts: countsText(review),
    alarms: alarms(review),
    errors: review.errors,
    embedded: recordings.embedded,
    tiles: tilesOf(review),
    voices: voicesTile(review),
    hasChanges: changes.length > 0,
    groups,
    kinds: [...new Set(changes.map(({ kind }) => kind))],
    actions: [...new Set(changes.map(({ action }) => action))],
    others: othersText(review),
    hasOthers: Array.isArray(review.others) && review.others.length > 0,
    otherVoices: Array.isArray(review.others)
      ? review.others.map((other) => ({ voice: other.voice, created: createdText(other) }))
      : [],
    remarks: remarkLists(review.remarks).map((list) => ({ ...list, count: list.lines.length })),
    noteCount: review.notes.length,
    notes: review.notes,
  });
}

function groupOf(group: Group, currency: string) {
  const { action, reason, changes } = group;
  return {
    action,
    reason,
    mark: marks[action],
    text: groupText(group),
    charge: chargeOf(changes, currency),
    of: changes.length,
  };
}

function rowOf(change: Change, currency: string, recordings: Recording[], options: PageOptions) {
  const { kind, action, name, why, urn, id, takes, warning, deletesFirst, audio } = change;
  const pictures = (change.pictures ?? []).flatMap((file) => {
    const src = addressOf(join(options.programFolder, file), options);
    return src === undefined ? [] : [{ src, label: `now: ${file}` }];
  });
  return {
    kind,
    action,
    name,
    why,
    urn,
    id,
    takes,
    warning,
    deletesFirst,
    recordings,
    pictures,
    hasPictures: pictures.length > 0,
    isRedrawn: action === "replace",
    mark: marks[action],
    charge: chargeOf([change], currency),
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

/** Both values of a field that changes, otherwise one text. */
function fieldOf(change: Change, field: FieldChange) {
  const isSecret = field.old === secretText && field.new === field.old;
  if (!isChange(change) || isSecret) return { field: field.field, text: valueText(change, field) };
  return { field: field.field, values: { old: field.old ?? "(none)", fresh: field.new ?? "(none)" } };
}

/** What the row of a change shows: the fields that change, or what a new resource is made from. */
function whatText(change: Change): string {
  const { fields } = change;
  if (isChange(change)) return fields.map((field) => fieldText(change, field)).join("; ");
  const source = fields.find(({ field }) => ["audio", "prompt", "state"].includes(field));
  return source?.new ?? change.id ?? "";
}

/** `13.7 → 14.3 s`. */
function lengthText({ audio }: Change): string {
  const lengths = [audio?.old?.seconds, audio?.new?.seconds].flatMap((seconds) => seconds?.toFixed(1) ?? []);
  return lengths.length === 0 ? "" : `${[...new Set(lengths)].join(" → ")} s`;
}

/**
 * A Content Security Policy that allows only the page's own style and script, even if other text was injected. The page
 * loads nothing from the network, except a recording that the program gives as a URL, when it is played.
 */
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
