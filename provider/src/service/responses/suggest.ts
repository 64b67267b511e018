import { type Forms, formsSchema } from "../../rules/forms";
import { isRecord } from "../../rules/is-record";
import { hasClonedShape } from "../../rules/naming";
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
 * Searches a response for the parts that were not understood, and proposes lines of the setting `forms`. Decides nothing:
 * `doctor` and errors show a line, and a person sets it.
 */

/** The call that a response belongs to. `pictures`: the look-up of a finished task. */
export type Call = "create" | "list" | "submit" | "poll" | "pictures";

/** The command that sets these parts in addition to those that are set. */
export const formsLine = (before: Forms | undefined, more: Forms) =>
  `pulumi config set cloudvoice:forms '${JSON.stringify({ ...before, ...more })}'`;

/** The parts to set, so that the response is read. Undefined: nothing was found, or no setting is needed. */
export function suggestForms(call: string, json: unknown, forms?: Forms): Forms | undefined {
  for (const more of proposalsFor(call, json, forms).slice(0, mostProposals)) {
    const whole = { ...more, ...proof(call, json, { ...forms, ...more }) };
    const isNew = Object.keys(whole).length > 0 && formsSchema.safeParse(whole).success;
    if (isNew && isRead(call, json, { ...forms, ...whole })) return whole;
  }
  return undefined;
}

function proposalsFor(call: string, json: unknown, forms?: Forms): Forms[] {
  // The entries of a list have one path.
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
      return status === undefined ? [] : [{ status }];
    default:
      return call === "pictures" ? picturesIn(fields).map((pictures) => ({ pictures })) : [];
  }
}

/** Whether the response is read with these forms. */
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

/** Proposes the value of a code as the success value, if the code is beside a result and not in the table. */
function proof(call: string, json: unknown, forms: Forms): Forms {
  if (forms.error !== undefined || call === "poll" || call === "pictures" || !isRead(call, json, forms)) return {};
  if (call === "list") return proofOfList(readVoiceList(json, { request: {}, forms }));
  return successCode(judged(leavesOf(json), {})) ?? {};
}

/**
 * The parts to set, so that an empty list with the other fields of this page proves that there are no voices. A code
 * counts as success if voices, or a message of success, are beside it.
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

/** Lists and maps with names of a cloned shape. The one empty list or map comes last. */
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

/** The `Forms` that fit this list or map, one for each field that may name its rows. */
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

/** The field with a state of a task, by its value; a name like `status` comes first. */
function statusIn(fields: readonly Found[]): string | undefined {
  const found = fields.filter(({ path, value }) => states.test(String(value)) && !path.includes("*"));
  const named = found.find((field) => /stat(us|e)|phase/i.test(nameOf(field)));
  return (named ?? (found.length === 1 ? found[0] : undefined))?.path.join(".");
}

/** The fields that may be the id of a task: by their names, then by their values. */
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

/** The places with pictures or their addresses. A name like `image` comes first. */
function picturesIn(fields: readonly Found[]): string[] {
  const found = fields.filter((field) => {
    const isOther = isAside(nameOf(field)) || /prompt$/i.test(nameOf(field));
    const isOfOther = field.path.some((name) => isNamed(name, "other", "echo"));
    // A path may be an endpoint of the service, e.g. of the look-up.
    const isPath = isText(field.value) && field.value.startsWith("/") && !/\.(png|jpe?g|webp|gif)\b/i.test(field.value);
    return !isOther && !isOfOther && !isPath && findPictures({ url: field.value }, someAddress).length > 0;
  });
  const isFirst = ({ path }: Found) => /image|picture|result|output|url/i.test(path.join("."));
  return [...found.filter(isFirst), ...found].map(({ path }) => path.join("."));
}
