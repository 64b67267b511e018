import { isRecord } from "../../rules/is-record";
import { errorFields } from "./error-fields";
import { noReason } from "../classify-refusal";
import { describeShape, opened, shownCopy } from "../response-fields";
import { isText, plain } from "./fields";

/** An image, why it failed, or what its form is if it is not known. */
export type FoundImage =
  | { url: string; actualPrompt?: string | undefined }
  | { code: string | undefined; message: string }
  /** The names of the fields of an entry in `results` that is neither. */
  | { unknownForm: string };

const deepest = 6;
/** Both bound the work on a hostile response. */
const mostSearched = 2000;
const mostImages = 1000;
const longestUrl = 16_384;
const betweenUrls = /[\s,;|]{1,9}(?=https?:\/\/)/i;
const pathOfPicture = /^\/(?=\S+$)[^\s,;|]+\.(png|jpe?g|webp|gif|bmp|tiff?|hei[cf]|avif)([?#]|$)/i;

/** The images of a finished task. A path in a list or in a field for addresses starts at the service's address. */
export function findImages(json: unknown, serviceUrl: string): FoundImage[] {
  const isPath = (text: string, name: string) =>
    pathOfPicture.test(text) && (isUrlName(name) || /\d$/.test(name)) && URL.canParse(text, serviceUrl);
  const whole = shownCopy(json, (text, name = "url") => (isPath(text, name) ? new URL(text, serviceUrl).href : text));
  const [byPath = [], found = []] = [whole, json].map(imagesByAddress);
  return byPath.some(isImage) && byPath.filter(isImage).length >= found.filter(isImage).length ? byPath : found;
}

const isImage = (image: FoundImage) => "url" in image;

/**
 * The contract leaves open how images are described, so they are the one array, map or object whose entries name an
 * `http` address, as a text or in one of their fields. Empty if there is none, or if two are equally likely.
 */
function imagesByAddress(json: unknown): FoundImage[] {
  const results = usualResults(json);
  if (results?.some((result) => imagesOf([result]).length > 0)) return asResults(results);
  const candidates: { name: string; images: FoundImage[] }[] = [];
  let level: { name: string; value: unknown }[] = [{ name: "", value: json }];
  let searched = 0;
  for (let depth = 0; depth <= deepest && level.length > 0; depth++) {
    const next: typeof level = [];
    for (const { name, value: given } of level) {
      const urls = isText(given) ? urlsIn(given) : [];
      // A prompt is the user's own text.
      const value = urls.length > 1 ? urls : isText(given) && /prompt/i.test(name) ? undefined : opened(given);
      if (typeof value !== "object" || value === null || isOther(name) || ++searched > mostSearched) continue;
      const images = imagesIn(value);
      const isFound = images.some(isImage);
      if (isFound) candidates.push({ name, images });
      // An address among other fields may belong to something else, and the images may stand deeper.
      if (!isFound || (isRecord(value) && images.length === 1))
        for (const [key, inner] of Object.entries(value).slice(0, mostImages))
          next.push({ name: Array.isArray(value) ? name : key, value: inner });
    }
    level = next;
  }
  const named = (pattern: RegExp) => candidates.filter(({ name }) => pattern.test(plain(name)));
  const wanted = [/^results$/, /image/, /result|output|url|picture/, /^/];
  const [first, ...others] = wanted.map(named).find((some) => some.length > 0) ?? [];
  const isSame = others.every(({ images }) => addresses(images) === addresses(first?.images ?? []));
  return first !== undefined && isSame ? first.images : asResults(results ?? []);
}

function asResults(results: unknown[]): FoundImage[] {
  return results.slice(0, mostImages).flatMap((result) => {
    const images = imagesOf([result]);
    return images.length > 0 ? images : { unknownForm: describeShape(result) };
  });
}

/** The list under the name that the nearest public service gives it. */
function usualResults(json: unknown): unknown[] | undefined {
  if (!isRecord(json)) return undefined;
  const { results } = isRecord(json.output) && "results" in json.output ? json.output : json;
  return Array.isArray(results) && results.length > 0 ? (results as unknown[]) : undefined;
}

const addresses = (images: FoundImage[]) => images.map((image) => ("url" in image ? image.url : "")).join("\n");

const otherWords = new Set([
  ...["thumb", "thumbs", "thumbnail", "thumbnails", "preview", "icon", "logo", "video", "audio"],
  ...["callback", "webhook", "docs", "help", "console", "log", "logs", "report", "cancel", "status", "poll"],
  ...["self", "next", "prev", "links", "input", "inputs", "request", "parameters", "usage"],
]);

/** Fields of this kind hold addresses that are no images of the task. */
function isOther(name: string): boolean {
  return name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).some((word) => otherWords.has(word.toLowerCase()));
}

/** The images that an array, a map or an object describes; empty if it is nothing of the kind. */
function imagesIn(value: object): FoundImage[] {
  if (Array.isArray(value)) return imagesOf(value as unknown[]);
  const record = value as Record<string, unknown>;
  const entries = Object.entries(record);
  // A map: each of its values is an image by itself.
  const isMap = entries.length > 0 && entries.every(([, each]) => entryImages(each, 0).length > 0);
  if (isMap && !entries.some(([name]) => isUrlName(name) || isOther(name))) return imagesOf(Object.values(record));
  const numbered = numberedUrls(record);
  return numbered.length > 1 ? imagesOf(numbered) : entryImages(record, 0).filter(isImage);
}

/** `image_1`, `image_2` and so on, in one object beside other fields. */
function numberedUrls(record: Record<string, unknown>): unknown[] {
  return Object.entries(record).flatMap(([name, each]) =>
    /\d$/.test(name) && !isOther(name) && urlOf(each) !== undefined ? [each] : [],
  );
}

/** All of the entries must be understood: an image that is left out would not be seen to be missing. */
function imagesOf(entries: unknown[]): FoundImage[] {
  const images = entries.slice(0, mostImages).map((entry) => entryImages(entry, 4));
  return images.every((some) => some.length > 0) ? images.flat() : [];
}

/** The images that an entry names, else those that stand deeper in it: `choices[].message.content[].image`. */
function entryImages(entry: unknown, depth: number): FoundImage[] {
  const own = typeof entry === "string" ? urlsIn(entry).map((url) => ({ url })) : imageOf(entry);
  const isCertain = own.some((image) => "url" in image || ("code" in image && image.code !== undefined));
  if (isCertain || typeof entry !== "object" || entry === null || depth === 0) return own;
  const inner = Object.entries(entry).flatMap(([name, each]) => {
    const images = isOther(name) ? [] : entryImages(each, depth - 1).filter(isImage);
    return images.length > 0 ? [images] : [];
  });
  // The fields of an object may name the same images, and not others.
  const [first = own, ...others] = Array.isArray(entry) ? [inner.flat()] : inner;
  return first.length > 0 && others.every((images) => addresses(images) === addresses(first)) ? first : own;
}

function imageOf(value: unknown): FoundImage[] {
  if (!isRecord(value) || numberedUrls(value).length > 1) return [];
  const urls = Object.entries(value).flatMap(([name, field]) => {
    const inner = isRecord(field) && isUrlName(name) ? field.url : field;
    const url = isOther(name) ? undefined : urlOf(inner);
    return url === undefined ? [] : [{ name, url }];
  });
  const url = (urls.find(({ name }) => name === "url") ?? urls.find(({ name }) => isUrlName(name)) ?? urls[0])?.url;
  const prompt = value.actual_prompt ?? value.actualPrompt;
  if (url !== undefined) return [{ url, ...(isText(prompt) && { actualPrompt: prompt }) }];
  const { code, message = code && noReason } = errorFields(value);
  return message === undefined ? [] : [{ code, message }];
}

const isUrlName = (name: string) =>
  /^(image|img|picture|file|download)?(url|uri|src|href|image|address|location)$/.test(plain(name));

/** The addresses of a text that has nothing else. */
function urlsIn(text: string): string[] {
  const urls = text.trim().split(betweenUrls).map(urlOf);
  return urls.every((url) => url !== undefined) ? urls : [];
}

function urlOf(value: unknown): string | undefined {
  if (typeof value !== "string" || !/^https?:\/\/\S+$/i.test(value) || value.length > longestUrl) return undefined;
  return URL.canParse(value) && !betweenUrls.test(value) ? value : undefined;
}
