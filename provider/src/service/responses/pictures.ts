import { isRecord } from "../../rules/is-record";
import type { Forms } from "../../rules/forms";
import { describeShape, noReason } from "./describe";
import { errorFields } from "./error-fields";
import { isText, type Path, plain, valuesAt } from "./fields";
import { pathOf } from "./forms";

/** An image, why it failed, or the names of the fields of an entry that is neither. */
export type FoundImage =
  | { url: string; actualPrompt?: string | undefined }
  /** The picture itself, in base64. */
  | { content: string; actualPrompt?: string | undefined }
  | { code: string | undefined; message: string }
  | { unknownForm: string };

export const isPicture = (image: FoundImage) => "url" in image || "content" in image;

const deepest = 8;
/** Both bound the work on a hostile response. */
const mostSearched = 20_000;
const mostImages = 1000;
const longestUrl = 16_384;
const betweenUrls = /[\s,;|]{1,9}(?=https?:\/\/)/i;
const pathOfPicture = /^\/(?=\S+$)[^\s,;|]+\.(png|jpe?g|webp|gif|bmp|tiff?|hei[cf]|avif)([?#]|$)/i;

/** A text that is a picture, or its address. */
interface Leaf {
  /** The names that lead to it, with the index in each list. */
  at: Path;
  /** Where it stands, the same for all entries of a list. */
  place: string;
  pictures: FoundImage[];
  /** It is a path at the service, and no whole address. */
  isPath: boolean;
  /** It may be the picture, and can't be downloaded: `oss://…`, a path in a store, Markdown. */
  isUnreadable?: boolean;
}

/**
 * The pictures of a finished task: the one text, or the texts at the one place of all entries of a list, that are
 * pictures or their addresses. The names of fields decide nothing, so of two places with different pictures none is
 * taken. Empty if none is recognised. `lookUpUrl` is where the task was looked up: an address of the task itself is no
 * picture.
 */
export function findPictures(json: unknown, lookUpUrl: string, forms?: Forms): FoundImage[] {
  const stated = pathOf(forms, "pictures");
  if (stated)
    return valuesAt(json, stated).flatMap((value) =>
      texts(value).flatMap((text) => leafOf(text, [], lookUpUrl, true)?.pictures ?? []),
    );
  const leaves = leavesIn(json, lookUpUrl);
  const whole = leaves.filter(({ isPath }) => !isPath);
  const paths = leaves.filter(({ isPath }) => isPath);
  const [first, second] = whole.length > 0 ? differing(whole, paths) : differing(paths, []);
  if (first === undefined) return failuresIn(json);
  // The unreadable place may be the picture. The readable one may be a thumbnail, or a picture of the request.
  const isUnreadable = leaves.some((leaf) => leaf.isUnreadable && (!leaf.isPath || whole.length === 0));
  if (isUnreadable || isNamedElsewhere(whole, paths) || first.some(isAside)) return [];
  return second === undefined ? withFailures(json, first) : [];
}

/** Whether a path names another picture than the whole addresses do. */
function isNamedElsewhere(whole: readonly Leaf[], paths: readonly Leaf[]): boolean {
  if (whole.length === 0) return false;
  const places = new Set(whole.map(({ place }) => place));
  const urls = whole.flatMap(({ pictures }) => pictures.flatMap((each) => ("url" in each ? [new URL(each.url)] : [])));
  return paths.some(
    ({ place, pictures: [picture], isUnreadable }) =>
      (isUnreadable || !places.has(place)) &&
      picture !== undefined &&
      "url" in picture &&
      !urls.some(({ pathname }) => pathname.endsWith(new URL(picture.url).pathname)),
  );
}

/** Such a picture accompanies the task's picture. If it is the only one, the task's picture has an unknown form. */
const isAside = ({ at }: Leaf) => at.some((name) => asideNames.test(plain(name)));
const asideNames =
  /^(thumb|thumbnail|preview|poster|cover|avatar|logo|mask|source|original|input|ref|reference)(image|picture)?(url)?s?$/;

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(isText) : isText(value) ? [value] : [];

/** Every text of the response that may be a picture of the task. A prompt is the user's own text. */
function leavesIn(json: unknown, lookUpUrl: string): Leaf[] {
  const leaves: Leaf[] = [];
  let searched = 0;
  const visit = (value: unknown, at: Path, place: Path, isAddress: boolean) => {
    if (++searched > mostSearched || at.length > deepest) return;
    if (typeof value === "string") {
      const leaf = leafOf(value, at, lookUpUrl, isAddress);
      if (leaf) leaves.push({ ...leaf, place: JSON.stringify(place) });
    } else if (Array.isArray(value))
      value
        .slice(0, mostImages)
        .forEach((each, index) => visit(each, [...at, String(index)], [...place, "*"], isAddress));
    else if (isRecord(value))
      for (const [name, each] of Object.entries(value))
        if (!/prompt$/i.test(name)) visit(each, [...at, name], [...place, placeName(name)], isAddressName(name));
  };
  visit(json, [], [], false);
  return leaves;
}

/** A path alone is an address only in a field for addresses: elsewhere it may be a place in a store. */
const isAddressName = (name: string) =>
  /^((image|img|picture|file|download)?(url|uri|src|href|image|address|location)s?|image\d+|results?|images|outputs?)$/.test(
    plain(name),
  );

/** Markdown or HTML with a picture. */
const showsPicture = (text: string) =>
  /!\[[^\]]{0,200}\]\(\s*https?:|<img\b[^>]{0,200}\bsrc\s*=\s*["']?https?:/i.test(text.slice(0, longestUrl));

function leafOf(text: string, at: Path, lookUpUrl: string, isAddress: boolean): Omit<Leaf, "place"> | undefined {
  const content = base64Picture(text);
  if (content !== undefined) return { at, pictures: [{ content }], isPath: false };
  const urls = urlsIn(text);
  if (urls.length > 0) {
    const isOfTask = urls.every(
      (url) => url === lookUpUrl || /^[/?#]/.test(url.startsWith(lookUpUrl) ? url.slice(lookUpUrl.length) : ""),
    );
    return isOfTask ? undefined : { at, pictures: urls.map((url) => ({ url })), isPath: false };
  }
  const isAddressElsewhere = /^([a-z][a-z0-9+.-]{0,20}:)?\/\/[^\s/]+\/\S+$/i.test(text) && !/^https?:/i.test(text);
  if ((isAddress && isAddressElsewhere) || showsPicture(text))
    return { at, pictures: [], isPath: false, isUnreadable: true };
  if (/^[^\s/:]+\//.test(text) && pathOfPicture.test(`/${text}`))
    return { at, pictures: [{ url: new URL(`/${text}`, lookUpUrl).href }], isPath: true, isUnreadable: true };
  if (!isAddress || !pathOfPicture.test(text) || !URL.canParse(text, lookUpUrl)) return undefined;
  return { at, pictures: [{ url: new URL(text, lookUpUrl).href }], isPath: true };
}

/**
 * The places of the leaves, with the pictures at each. A place that only repeats the pictures of another is left out.
 */
function differing(leaves: readonly Leaf[], paths: readonly Leaf[]): Leaf[][] {
  const places = new Map<string, Leaf[]>();
  for (const leaf of leaves) places.set(leaf.place, [...(places.get(leaf.place) ?? []), leaf].slice(0, mostImages));
  // A list may name some of its pictures by their paths.
  for (const path of paths) places.get(path.place)?.push(path);
  const seen = new Set<string>();
  return [...places.values()].filter((group) => {
    const pictures = JSON.stringify(group.flatMap((leaf) => leaf.pictures));
    return !seen.has(pictures) && seen.add(pictures);
  });
}

/** Treats `image_1`, `image_2`, … `image_10` as one place. Larger numbers are sizes of one picture. */
const placeName = (name: string) => name.replace(/(?<!\d|url)\d{1,2}$/i, "*");

/** The pictures in their order, with what the other entries of their list say. */
function withFailures(json: unknown, leaves: readonly Leaf[]): FoundImage[] {
  const [first] = leaves;
  const depth = first === undefined ? -1 : first.at.findIndex((_, index) => isList(json, first.at.slice(0, index)));
  if (first === undefined || depth < 0) return leaves.flatMap((leaf) => described(json, leaf));
  const [entries] = valuesAt(json, first.at.slice(0, depth));
  return Object.entries(entries as object)
    .slice(0, mostImages)
    .flatMap(([name, entry]: [string, unknown]) => {
      const own = leaves.filter(({ at }) => at[depth] === name);
      return own.length > 0 ? own.flatMap((leaf) => described(json, leaf)) : failureOf(entry);
    });
}

function isList(json: unknown, path: Path): boolean {
  const [value] = valuesAt(json, path);
  if (Array.isArray(value)) return true;
  const names = isRecord(value) ? Object.keys(value) : [];
  return names.length > 1 && names.every((name) => /\d$/.test(name));
}

/** The pictures of a leaf, with the prompt that the service extended, from the innermost object that has one. */
function described(json: unknown, { at, pictures }: Leaf): FoundImage[] {
  const prompts = at.map((_, index) => {
    const [around] = valuesAt(json, at.slice(0, index));
    return isRecord(around) ? (around.actual_prompt ?? around.actualPrompt) : undefined;
  });
  const actualPrompt = prompts.findLast(isText);
  return pictures.map((picture) => ({ ...picture, ...(actualPrompt !== undefined && { actualPrompt }) }));
}

/** The list under the name that the nearest public service gives it, if none of its entries has a picture. */
function failuresIn(json: unknown): FoundImage[] {
  const lists = [...valuesAt(json, ["output", "results"]), ...valuesAt(json, ["results"])];
  const list = lists.find((each): each is unknown[] => Array.isArray(each));
  return (list ?? []).slice(0, mostImages).flatMap(failureOf);
}

function failureOf(entry: unknown): FoundImage[] {
  const { code, message = code && noReason } = isRecord(entry) ? errorFields(entry) : {};
  return [message === undefined ? { unknownForm: describeShape(entry) } : { code, message }];
}

/** The addresses in a text that contains nothing else. */
function urlsIn(text: string): string[] {
  if (!/^\s*https?:\/\//i.test(text)) return [];
  const urls = text.trim().split(betweenUrls);
  return urls.every((url) => /^https?:\/\/\S+$/i.test(url) && url.length <= longestUrl && URL.canParse(url))
    ? urls
    : [];
}

/** The base64 text of a picture, also from a `data:` URL or hexadecimal digits. Undefined for any other text. */
function base64Picture(text: string): string | undefined {
  if (/^[0-9a-f]{64}/i.test(text) && startsAsPicture(Buffer.from(text.slice(0, 64), "hex")))
    return Buffer.from(text, "hex").toString("base64");
  const isDataUrl = /^\s*data:[\w.+/-]*(;[\w=.+-]+){0,5};\s*base64,/i.test(text.slice(0, 200));
  const data = (isDataUrl ? text.slice(text.indexOf(",") + 1) : text).replace(/^\s+/, "").replace(/\r?\n/g, "");
  if (data.length < 64 || !/^[A-Za-z0-9+/_-]{64}/.test(data)) return undefined;
  return startsAsPicture(Buffer.from(data.slice(0, 64), "base64")) ? data : undefined;
}

/** Whether bytes begin as those of a picture do: PNG, JPEG, GIF, WebP, BMP, TIFF, AVIF, HEIC, JPEG XL or JPEG 2000. */
const startsAsPicture = (bytes: Buffer) => pictureStart.test(bytes.toString("hex", 0, 12));
const pictureStart = new RegExp(
  "^(89504e470d0a1a0a|ffd8ff|47494638|52494646.{8}57454250|424d.{8}00000000|49492a00|4d4d002a" +
    "|.{8}66747970(61766966|61766973|68656963|68656978|6d696631|6d736631)|ff0a|0000000c4a584c20|0000000c6a502020)",
);
