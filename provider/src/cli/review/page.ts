import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { type AudioFile, audioPlace, encodedLength, mediaTypes } from "../../rules/audio";
import { inspectAudio } from "../../service/audio/inspect";
import template from "./page.html";
import type { Change } from "./change";
import { type Audio, audioText } from "./fields";
import type { Quota } from "./account";
import type { Review } from "./review";
import {
  alarms,
  chargeOfChange,
  chargeText,
  countsText,
  marks,
  othersText,
  quotaText,
  title,
  valueText,
} from "./words";

export interface PageOptions {
  /** The folder of the page. The addresses of recordings and pictures are relative to it. */
  pageFolder: string;
  /** The folder in which the program runs. The paths of its files are relative to it. */
  programFolder: string;
  /** The highest number of bytes of new and changed recordings inside the page. */
  embedBytes: number;
}

/** One HTML file. It links to recordings and pictures of the working copy. The template escapes every text. */
export async function pageOf(review: Review, options: PageOptions): Promise<string> {
  const { default: mustache } = await import("mustache");
  const recordings = new Recordings(options);
  const changes = [];
  for (const change of review.changes) {
    const { kind, action, name, urn, why, id, takes } = change;
    const fields = change.fields.map((field) => ({ field: field.field, text: valueText(change, field) }));
    const pictures = (change.pictures ?? []).flatMap((file) => {
      const src = addressOf(join(options.programFolder, file), options);
      return src === undefined ? [] : [{ src, label: file }];
    });
    changes.push({
      kind,
      action,
      name,
      urn,
      why,
      id,
      takes,
      fields,
      pictures,
      mark: marks[action],
      charge: chargeOfChange(change),
      players: await recordings.playersOf(change),
    });
  }
  return mustache.render(template, {
    policy: policy(),
    title: title(review),
    alarms: alarms(review),
    errors: review.errors,
    embedded: recordings.embedded,
    counts: countsText(review),
    charge: chargeText(review),
    quota: quotaText(review),
    others: othersText(review),
    bar: "limit" in review.quota ? bar(review.quota) : undefined,
    kinds: [...new Set(changes.map(({ kind }) => kind))],
    actions: [...new Set(changes.map(({ action }) => action))],
    hasChanges: changes.length > 0,
    changes,
    hasOthers: Array.isArray(review.others) && review.others.length > 0,
    otherVoices: Array.isArray(review.others) ? review.others : [],
    hasNotes: review.notes.length > 0,
    notes: review.notes,
  });
}

/** A Content Security Policy that allows only the page's own style and script, even if other text was injected. */
function policy(): string {
  const hash = (tag: string) => {
    const text = template.slice(template.indexOf(`<${tag}>`) + tag.length + 2, template.indexOf(`</${tag}>`));
    return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  };
  return [
    "default-src 'none'",
    `script-src ${hash("script")}`,
    `style-src ${hash("style")}`,
    "img-src * data: file:",
    "media-src * data: file:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

function bar({ limit, now, peak, after }: Quota) {
  const width = 1000 / Math.max(limit, peak, 1);
  const coming = peak - now;
  const going = Math.min(now, now + coming - after);
  const [keptWidth, goingWidth, comingWidth] = [(now - going) * width, going * width, coming * width];
  return {
    kept: keptWidth,
    going: goingWidth,
    coming: comingWidth,
    comingAt: keptWidth + goingWidth,
    limitAt: Math.min(limit * width, 997),
    label: `${now} voices now, ${peak} at the peak, ${after} after, of ${limit}`,
  };
}

/** Finds the recordings that a reviewer can play, and embeds them in the page while there is room. */
class Recordings {
  private bytes = 0;
  private count = 0;

  constructor(private readonly options: PageOptions) {}

  /** For example `2 recordings (0.4 MB)`; undefined when none is embedded. */
  get embedded(): string | undefined {
    return this.count === 0
      ? undefined
      : `${this.count} ${this.count === 1 ? "recording" : "recordings"} (${(this.bytes / 1e6).toFixed(1)} MB)`;
  }

  async playersOf({ kind, audio, fields }: Change) {
    if (kind !== "voice" || !audio) return [];
    const { old, new: fresh } = audio;
    // If only the bytes changed, the working copy no longer has the old recording.
    const moved = old && fresh && old.place !== fresh.place && fields.some(({ field }) => field === "audio");
    return [
      ...(old && (!fresh || moved) ? [await this.player(old, fresh ? "before" : "recording", false)] : []),
      ...(fresh ? [await this.player(fresh, moved ? "after" : "recording", true)] : []),
    ];
  }

  private async player(audio: Audio, label: string, mayEmbed: boolean) {
    return {
      label: `${label}: ${audioText(audio)}`,
      src: await this.sourceOf(audio, mayEmbed),
      missing: "not in the working copy",
    };
  }

  private async sourceOf({ place, sha256 }: Audio, mayEmbed: boolean): Promise<string | undefined> {
    const parsed = audioPlace(place);
    if ("url" in parsed) return parsed.url;
    if (!("path" in parsed)) return undefined;
    const path = join(this.options.programFolder, parsed.path);
    const facts = await inspectAudio(path);
    // The file has changed since the preview or since the voice was created: it is another recording.
    if (facts.state !== "audio" || (sha256 !== undefined && facts.sha256 !== sha256)) return undefined;
    return (mayEmbed ? this.embed(path, facts) : undefined) ?? addressOf(path, this.options);
  }

  /** A data URL of the recording; undefined when there is no room. A recording that is embedded twice counts twice. */
  private embed(path: string, { kind, bytes }: AudioFile): string | undefined {
    const size = encodedLength(bytes);
    if (this.bytes + size > this.options.embedBytes) return undefined;
    this.bytes += size;
    this.count++;
    return `data:${mediaTypes[kind]};base64,${readFileSync(path).toString("base64")}`;
  }
}

/** Always begins with `./`, so that a path such as `javascript:…` cannot act as a URL of another kind. */
function addressOf(path: string, { pageFolder }: PageOptions): string | undefined {
  if (!existsSync(path)) return undefined;
  const from = relative(pageFolder, path);
  if (isAbsolute(from)) return undefined;
  return `./${from.split(sep).map(encodeURIComponent).join("/")}`;
}
