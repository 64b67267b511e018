import { isRecord } from "../../rules/values";
import type { Forms } from "../../rules/settings";
import { describeShape, noReason } from "./describe";
import { errorFields } from "./error";
import { boundedId, distinct, fieldsIn, isInside, isText, onlyValue, type Path, read } from "./forms";
import { longestUrl, mostImages } from "./json";
import { isEmpty } from "./meaning";

/** Excludes numbers that have lost digits, words that mean "none", and dots, which would change a request's path. */
export const isTaskId = (value: unknown): value is string | number =>
  isText(value)
    ? !/^(-?[\d.]+e\+?\d+|-.*|0+|null|none|nil|undefined|\.{1,2})$/i.test(value.trim())
    : Number.isSafeInteger(value) && Number(value) > 0;

/** Whether a value is this task's id. Ignores case, because a service may change the case of an id. */
export const isIdOf = (taskId: string, value: unknown) =>
  isTaskId(value) && String(value).trim().toLowerCase() === taskId.trim().toLowerCase();

export function readSubmittedTask(json: unknown, forms?: Forms) {
  const ids = distinct(read(json, "task", forms), isTaskId);
  const taskId = boundedId("task_id", String(onlyValue("task_id", ids)));
  return { taskId, taskStatus: distinct(read(json, "status", forms), isText)[0]?.value ?? "PENDING" };
}

/**
 * The state of the requested task. A `task_status` counts only if an object with this task's id contains it, or if the
 * response does not contain a task's id. Undefined if there is no such state.
 */
export function taskStatusIn(json: unknown, taskId: string, forms?: Forms): string | undefined {
  const ids = forms?.status === undefined ? fieldsIn(json, "taskid").filter(({ value }) => isTaskId(value)) : [];
  const idsOfTask = ids.filter(({ value }) => isIdOf(taskId, value));
  const isOfTask = (path: Path) => ids.length === 0 || idsOfTask.some((id) => isInside(path.slice(0, -1), id.path));
  const statuses = distinct(
    read(json, "status", forms).filter(({ path }) => isOfTask(path)),
    isText,
  );
  return statuses.length === 0 ? undefined : onlyValue("task_status", statuses);
}

/** A picture, the reason why it failed, or the field names of an entry whose form is not known. */
export type PictureEntry =
  | { url: string; actualPrompt?: string | undefined }
  /** The picture itself in base64. */
  | { content: string; actualPrompt?: string | undefined }
  | { code: string | undefined; message: string }
  | { unknownForm: string };

/** The fields that are read without the setting `forms.pictures`: a list of entries with `url`, or one address. */
const usualNames = ["results", "imageurl"];

/**
 * The pictures of a finished task, at the path `forms.pictures` or under a usual name. Empty if there are two such
 * fields. `lookUpUrl`: the URL at which the task was looked up.
 */
export function findPictures(json: unknown, lookUpUrl: string, forms?: Forms): PictureEntry[] {
  if (forms?.pictures !== undefined)
    return read(json, "pictures", forms)
      .flatMap(({ value }) => [value].flat().flatMap((text) => pictureOf(text, lookUpUrl) ?? []))
      .slice(0, mostImages);
  const fields = fieldsIn(json, ...usualNames).filter((field) => !isEmpty(field.value));
  const [{ value } = { value: [] }, second] = fields;
  if (second !== undefined) return [];
  if (Array.isArray(value)) return value.slice(0, mostImages).map((row) => imageOf(row, lookUpUrl));
  return [pictureOf(value, lookUpUrl) ?? []].flat();
}

export const isPicture = (image: PictureEntry) => "url" in image || "content" in image;

/** Reads an entry of a list: the picture (with the prompt that the service extended), or the reason why it failed. */
function imageOf(row: unknown, lookUpUrl: string): PictureEntry {
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

/** The base64 of a picture from base64 or a `data:` URL. Undefined for any other text. */
function base64Picture(text: string): string | undefined {
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
