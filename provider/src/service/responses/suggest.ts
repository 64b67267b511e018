import { type Forms, formsSchema } from "../../rules/forms";
import { isRecord } from "../../rules/is-record";
import { hasClonedShape } from "../../rules/naming";
import { shellQuoted } from "../../shell-quoted";
import { isSuccessValue } from "./codes";
import { everyField, type Found, isText, nameOf, read } from "./forms";
import { mostProposals, mostSearched } from "./json";
import { isEmpty, judged, type Judged, leavesOf } from "./meaning";
import { isAside, isNamed, plain } from "./names";
import { findPictures } from "./pictures";
import { isTaskId, readSubmittedTask, taskStatusIn } from "./task";
import { readVoiceList, type VoicePage } from "./voice-list";
import { readCreatedVoice } from "./voices";

/*
 * Searches a response for the parts that were not understood, and proposes values of the setting `forms`. A proposal is
 * only shown, by errors and by `doctor`. A person decides whether to set it.
 */

/** The kind of call to which a response belongs. `pictures`: the look-up of a finished task. */
export type Call = "create" | "list" | "submit" | "poll" | "pictures";

/** The command that sets `forms` to the present parts (`before`) and these new parts. */
export const formsLine = (before: Forms | undefined, more: Forms) =>
  `pulumi config set cloudvoice:forms ${shellQuoted(JSON.stringify({ ...before, ...more }))}`;

/** The parts of `forms` to set, so that the response can be read. Undefined if none are found or needed. */
export function suggestForms(call: string, json: unknown, forms?: Forms): Forms | undefined {
  for (const more of proposalsFor(call, json, forms).slice(0, mostProposals)) {
    const whole = { ...more, ...proof(call, json, { ...forms, ...more }) };
    const isNew = Object.keys(whole).length > 0 && formsSchema.safeParse(whole).success;
    if (isNew && isRead(call, json, { ...forms, ...whole })) return whole;
  }
  return undefined;
}

function proposalsFor(call: string, json: unknown, forms?: Forms): Forms[] {
  // Keep one field per path, because all entries of a list have the same path.
  const byPath = new Map(everyField(json).map((field) => [field.path.join("."), field]));
  const fields = [...byPath.values()].filter(({ value }) => typeof value !== "object").slice(0, mostSearched);
  const status = call === "poll" || read(json, "status", forms).length === 0 ? statusIn(fields) : undefined;
  switch (call) {
    case "list":
      return [{}, ...listsIn(json)];
    case "create":
      return [{}, ...fields.flatMap((field) => (isClonedName(field.value) ? [{ voice: nameOf(field) }] : []))];
    case "submit":
      return [{}, ...tasksIn(fields).map((task) => ({ task, ...(status !== undefined && { status }) }))];
    case "poll":
      // The reader knows the usual field, and refuses its state for another reason: e.g. it is another task's state.
      return status === undefined || read(json, "status", undefined).some(({ value }) => isText(value))
        ? []
        : [{ status }];
    default:
      return call === "pictures" ? picturesIn(fields).map((pictures) => ({ pictures })) : [];
  }
}

function isRead(call: string, json: unknown, forms: Forms): boolean {
  try {
    if (call === "list") return readVoiceList(json, { request: {}, forms }).place !== undefined;
    if (call === "create") return readCreatedVoice(json, "", forms).voice !== "";
    if (call === "submit") return readSubmittedTask(json, forms).taskId !== "";
    if (call === "poll") return taskStatusIn(json, "", forms) !== undefined;
    return findPictures(json, someAddress, forms).length > 0;
  } catch {
    return false;
  }
}

const someAddress = "https://service.example";

/** If a code beside the result is not known, proposes its value as the value of success (`forms.error`). */
function proof(call: string, json: unknown, forms: Forms): Forms {
  if (forms.error !== undefined || call === "poll" || call === "pictures" || !isRead(call, json, forms)) return {};
  if (call === "list") return proofOfList(readVoiceList(json, { request: {}, forms }));
  return successCode(judged(leavesOf(json), {})) ?? {};
}

/**
 * Proposes parts of the setting `forms`. With them, an empty list whose other fields are like those of this page proves
 * that there are no voices. The code of this page is proposed as the value of success only if the page also has voices
 * or a message of success.
 */
export function proofOfList({ rows, unproven }: Pick<VoicePage, "rows" | "unproven">): Forms {
  const saysSuccess = unproven.some((field) => isNamed(nameOf(field), "message") && isSuccessValue(field.value));
  const code = rows.length > 0 || saysSuccess ? successCode(unproven) : undefined;
  if (code !== undefined) return code;
  const ignore = [...new Set(unproven.map(nameOf))];
  const isSafe = formsSchema.safeParse({ ignore }).success && unproven.every(({ meaning }) => meaning === "unknown");
  return isSafe && ignore.length > 0 ? { ignore } : {};
}

function successCode(fields: readonly Judged[]): Forms | undefined {
  const failures = fields.filter(({ meaning }) => meaning === "failure");
  const code = failures.find((field) => isNamed(nameOf(field), "code") && /^-?\w+$/.test(String(field.value)));
  return code && failures.length === 1 ? { error: `${code.path.join(".")}=${String(code.value)}` } : undefined;
}

const isClonedName = (value: unknown): value is string => isText(value) && hasClonedShape(value);
const areNames = (values: readonly unknown[]) =>
  values.length > 0 && values.every(isClonedName) && new Set(values).size === values.length;

/**
 * The places in a response that may hold the voices: lists and maps with names that look like those of cloned voices
 * (`hasClonedShape`). If exactly one empty list or map is a candidate, its place comes last.
 */
function listsIn(json: unknown): Forms[] {
  const containers = everyField(json).filter(
    ({ path, value }) =>
      typeof value === "object" && value !== null && path.length > 0 && !path.some((name) => isNamed(name, "echo")),
  );
  const empties = containers.filter(({ path, value }) => isEmpty(value) && !path.some(isAside));
  const arrays = empties.filter(({ value }) => Array.isArray(value));
  const deep = empties.filter(({ path }) => path.length > 1);
  const [empty] = [arrays, deep, empties].find(({ length }) => length === 1) ?? [];
  return [...containers.slice(0, mostSearched).flatMap(namesIn), ...(empty ? [{ voices: empty.path.join(".") }] : [])];
}

/** Proposals for this list or map of voices: one for each field that may hold the name of a row's voice. */
function namesIn({ path, value }: Found): Forms[] {
  const voices = path.join(".");
  const container = value as Record<string, unknown>;
  const rows = Object.values(container).filter((row) => row !== null);
  if (!rows.every(isRecord)) return isClonedName(container.voice) ? [{ voices }] : [];
  const names = Object.keys(rows[0] ?? {}).filter((name) => areNames(rows.map((row) => row[name])));
  const byName = names.map((voice) => (voice === "voice" ? { voices } : { voices, voice }));
  return areNames(Object.keys(container)) ? [...byName, { voices }] : byName;
}

const states = /^(pending|queued|running|submitted|waiting|processing|succeeded|failed|canceled|unknown)$/i;

/** The path of the field whose value is a task's state. A field with a name such as `status` takes precedence. */
function statusIn(fields: readonly Found[]): string | undefined {
  const found = fields.filter(({ path, value }) => states.test(String(value)) && !path.includes("*"));
  const named = found.find((field) => /stat(us|e)|phase/i.test(nameOf(field)));
  return (named ?? (found.length === 1 ? found[0] : undefined))?.path.join(".");
}

/** The paths of fields that may be a task's id: first by their names, then by their values. */
function tasksIn(fields: readonly Found[]): string[] {
  const found = fields.filter((field) => {
    const isOther = /request|trace|session|time|model|url|count|num|total/i.test(nameOf(field));
    const isAnswer = isNamed(nameOf(field), "code", "message") || field.path.some((name) => isNamed(name, "echo"));
    const isState = states.test(String(field.value)) || isSuccessValue(field.value);
    return isTaskId(field.value) && !isOther && !isAnswer && !isState;
  });
  const isDigital = ({ value }: Found) => /\d/.test(String(value));
  const isLong = ({ value }: Found) => isText(value) && /^\S{6,}$/.test(value) && !value.includes("://");
  const byTask = found.filter(
    (field) => /^(task|job|ticket)|(task|job|ticket)(id|no|key)?$/.test(plain(nameOf(field))) && isDigital(field),
  );
  const byId = found.filter((field) => /id$/.test(plain(nameOf(field))));
  const byValue = found.filter((field) => isLong(field) && isDigital(field));
  return [...new Set([...byTask, ...byId, ...byValue].map(({ path }) => path.join(".")))];
}

/** The paths of the fields that hold pictures or their addresses. Fields with a name such as `image` come first. */
function picturesIn(fields: readonly Found[]): string[] {
  const found = fields.filter((field) => {
    const isOther = isAside(nameOf(field)) || /prompt$/i.test(nameOf(field));
    const isOfOther = field.path.some((name) => isNamed(name, "other", "echo"));
    // A path without a picture's extension may be an operation of the service, e.g. the look-up.
    const isPath = isText(field.value) && field.value.startsWith("/") && !/\.(png|jpe?g|webp|gif)\b/i.test(field.value);
    return !isOther && !isOfOther && !isPath && findPictures({ url: field.value }, someAddress).length > 0;
  });
  const isFirst = ({ path }: Found) => /image|picture|result|output|url/i.test(path.join("."));
  return [...found.filter(isFirst), ...found].map(({ path }) => path.join("."));
}
