import { isRecord } from "../../rules/is-record";
import type { Forms } from "../../rules/forms";
import { describeShape, noReason } from "./describe";
import { errorFields } from "./error";
import { fieldsIn, type Found, isText, nameOf, objectOf, read } from "./forms";
import { longestUrl, mostImages } from "./json";
import { isAside, isNamed, plain } from "./names";

/** A picture, the reason why it failed, or the field names of an entry whose form is not known. */
export type FoundImage =
  | { url: string; actualPrompt?: string | undefined }
  /** The picture itself in base64. */
  | { content: string; actualPrompt?: string | undefined }
  | { code: string | undefined; message: string }
  | { unknownForm: string };

/** A text, or a list of texts, is a picture only in such a field. A list of objects with `url` may have any name. */
const pictureNames = /^((image|picture|result|output)s?|(image|picture|result)?urls?|taskresult)$/;
const isPictureName = (name: string) => pictureNames.test(plain(name));

/**
 * The pictures of a finished task: its only list of entries with `url`, or its only text (or list of texts) that is a
 * picture. Empty if anything else in the response may be a picture. `lookUpUrl`: the URL at which the task was looked
 * up.
 */
export function findPictures(json: unknown, lookUpUrl: string, forms?: Forms): FoundImage[] {
  const found = read(json, "pictures", forms);
  if (forms?.pictures !== undefined)
    return found
      .flatMap(({ value }) => [value].flat().flatMap((text) => pictureOf(text, lookUpUrl) ?? []))
      .slice(0, mostImages);
  const tasks = new Set(fieldsIn(json, "taskstatus").map(objectOf));
  const isOfTask = (field: Found) => tasks.has(objectOf(field)) || field.path.slice(0, -1).every(isPictureName);
  const places = found
    .filter((field) => isOfTask(field) && !field.path.some(isAside) && !/prompt$/i.test(nameOf(field)))
    .map((field) => imagesAt(field, lookUpUrl))
    .filter((images) => images !== undefined);
  const [images = [], ...others] = new Map(places.map((each) => [each.map(addressOf).join("\n"), each])).values();
  if (others.length > 0) return [];
  // There is no picture, so return the entries that failed or whose form is not known.
  if (!images.some(isPicture)) return images.slice(0, mostImages);
  const own = new Set(images.map(addressOf));
  return addressesIn(json).every((address) => own.has(address)) ? images.slice(0, mostImages) : [];
}

const addressOf = (image: FoundImage) => ("url" in image ? image.url : "content" in image ? image.content : "");
export const isPicture = (image: FoundImage) => addressOf(image) !== "";

/** The images that a field holds. Undefined if the field is not about images. */
function imagesAt(field: Found, lookUpUrl: string): FoundImage[] | undefined {
  const rows: unknown[] = Array.isArray(field.value) ? field.value : [field.value];
  const isList = rows.some((row) => isRecord(row) && isText(row.url)) || plain(nameOf(field)) === "results";
  if (Array.isArray(field.value) && isList && rows.some(isRecord)) return rows.map((row) => imageOf(row, lookUpUrl));
  if (rows.length === 0 || !rows.every(isText) || !isPictureName(nameOf(field))) return undefined;
  const pictures = rows.flatMap((text) => pictureOf(text, lookUpUrl) ?? []);
  return pictures.length === rows.length ? pictures : [];
}

/** Reads an entry of a list: the picture (with the prompt that the service extended), or the reason why it failed. */
function imageOf(row: unknown, lookUpUrl: string): FoundImage {
  const fields = isRecord(row) ? row : {};
  const picture = pictureOf(fields.url, lookUpUrl);
  const actualPrompt = fields.actual_prompt ?? fields.actualPrompt;
  if (picture) return { ...picture, ...(isText(actualPrompt) && { actualPrompt }) };
  const { code, message = code && noReason } = isText(fields.url) ? {} : errorFields(fields);
  return message === undefined ? { unknownForm: describeShape(row) } : { code, message };
}

/** Reads a text that is a URL, a path at the service, or a picture in base64. Undefined for any other text. */
function pictureOf(text: unknown, lookUpUrl: string): { url: string } | { content: string } | undefined {
  if (!isText(text)) return undefined;
  const content = base64Picture(text);
  if (content !== undefined) return { content };
  const isAddress = /^https?:\/\/\S+$/i.test(text) || /^\/[^/\s]\S*$/.test(text);
  if (!isAddress || text.length > longestUrl || !URL.canParse(text, lookUpUrl)) return undefined;
  return { url: /^h/i.test(text) ? text : new URL(text, lookUpUrl).href };
}

/** Matches a URL with any scheme, and a picture in Markdown or HTML. */
const addressLike =
  /^\s*[a-z][a-z0-9+.-]{0,20}:\/\/\S|!\[[^\]]{0,200}\]\(\s*https?:|<img\b[^>]{0,200}\bsrc\s*=\s*["']?https?:/i;

/** All texts in the response that may be a picture, at any depth. Skips prompts, because the user wrote them. */
function addressesIn(json: unknown): string[] {
  if (typeof json === "string") {
    const picture = base64Picture(json);
    if (picture !== undefined) return [picture];
    return addressLike.test(json.slice(0, longestUrl)) ? [json] : [];
  }
  if (Array.isArray(json)) return json.flatMap((each) => addressesIn(each));
  if (!isRecord(json)) return [];
  return Object.entries(json).flatMap(([name, each]) =>
    /prompt$/i.test(name) || isNamed(name, "echo") ? [] : addressesIn(each),
  );
}

/** The base64 of a picture from base64, a `data:` URL or hexadecimal digits. Undefined for any other text. */
function base64Picture(text: string): string | undefined {
  if (/^[0-9a-f]{64}/i.test(text) && startsAsPicture(Buffer.from(text.slice(0, 64), "hex")))
    return Buffer.from(text, "hex").toString("base64");
  const isDataUrl = /^\s*data:[\w.+/-]*(;[\w=.+-]+){0,5};\s*base64,/i.test(text.slice(0, 200));
  const data = (isDataUrl ? text.slice(text.indexOf(",") + 1) : text).replace(/^\s+/, "").replace(/\r?\n/g, "");
  if (data.length < 64 || !/^[A-Za-z0-9+/_-]{64}/.test(data)) return undefined;
  return startsAsPicture(Buffer.from(data.slice(0, 64), "base64")) ? data : undefined;
}

/** Whether bytes begin like a picture: PNG, JPEG, GIF, WebP, BMP, TIFF, AVIF, HEIC, JPEG XL or JPEG 2000. */
const startsAsPicture = (bytes: Buffer) => pictureStart.test(bytes.toString("hex", 0, 12));
const pictureStart = new RegExp(
  "^(89504e470d0a1a0a|ffd8ff|47494638|52494646.{8}57454250|424d.{8}00000000|49492a00|4d4d002a" +
    "|.{8}66747970(61766966|61766973|68656963|68656978|6d696631|6d736631)|ff0a|0000000c4a584c20|0000000c6a502020)",
);
