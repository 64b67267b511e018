import { type Forms, formsSchema } from "../../rules/forms";
import { isRecord } from "../../rules/is-record";
import { hasClonedShape } from "../../rules/naming";
import { isSuccessValue } from "./codes";
import { type Found, isText, type Path, read } from "./forms";
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

/** What a response answers. `pictures`: the look-up of a finished task. */
export type Call = "create" | "list" | "submit" | "poll" | "pictures";

/** The command that sets these parts beside those that are set. */
export const formsLine = (before: Forms | undefined, more: Forms) =>
  `pulumi config set cloudvoice:forms '${JSON.stringify({ ...before, ...more })}'`;

/** The parts to set, so that the response is read. Undefined: nothing was found, or no setting is needed. */
export function suggestForms(call: string, json: unknown, forms?: Forms): Forms | undefined {
  const texts = leavesEverywhere(json).slice(0, mostLeaves);
  let tried = 0;
  for (const more of proposalsFor(call, json, texts, forms)) {
    if (++tried > mostTried) return undefined;
    const whole = { ...more, ...proof(call, json, { ...forms, ...more }) };
    const isNew = Object.keys(whole).length > 0 && formsSchema.safeParse(whole).success;
    if (isNew && isRead(call, json, { ...forms, ...whole })) return whole;
  }
  return undefined;
}

const mostLeaves = 2000;
const mostTried = 20;
const deepest = 8;

function* proposalsFor(call: string, json: unknown, leaves: Found[], forms?: Forms): Generator<Forms> {
  const status = statusIn(leaves);
  switch (call) {
    case "list":
      yield {};
      yield* listsIn(json);
      return;
    case "create":
      yield {};
      for (const { path, value } of leaves)
        if (isText(value) && hasClonedShape(value)) yield { voice: path.at(-1) ?? "" };
      return;
    case "submit": {
      const isStated = read(json, "status", forms).length > 0;
      yield {};
      for (const task of tasksIn(leaves)) yield { task, ...(!isStated && status && { status }) };
      return;
    }
    case "poll":
      if (status) yield { status };
      return;
    case "pictures":
      for (const pictures of picturesIn(leaves)) yield { pictures };
  }
}

/** Whether the response is read with these forms. */
function isRead(call: string, json: unknown, forms: Forms): boolean {
  try {
    switch (call) {
      case "list":
        return readVoiceList(json, { request: {}, forms }).place !== undefined;
      case "create":
        return readCreatedVoice(json, "", forms).voice !== "";
      case "submit":
        return readSubmittedTask(json, forms).taskId !== "";
      case "poll":
        return taskStatusIn(json, "", forms) !== undefined;
      default:
        return findPictures(json, "https://service.example", forms).length > 0;
    }
  } catch {
    return false;
  }
}

/** The success value of a code that is not in the table, beside what was read. */
function proof(call: string, json: unknown, forms: Forms): Forms {
  if (forms.error !== undefined || call === "poll" || call === "pictures" || !isRead(call, json, forms)) return {};
  if (call === "list") return proofOfList(readVoiceList(json, { request: {}, forms }));
  return successCode(judged(leavesOf(json), {})) ?? {};
}

/**
 * The parts with which an empty list, with the other fields of this one, would prove that there are no voices. A code is
 * one of success if voices are beside it, or a message that says so.
 */
export function proofOfList({ rows, unproven }: Pick<VoicePage, "rows" | "unproven">): Forms {
  const saysSuccess = unproven.some(
    ({ path, value }) => isNamed(path.at(-1) ?? "", "message") && isSuccessValue(value),
  );
  const code = rows.length > 0 || saysSuccess ? successCode(unproven) : undefined;
  if (code !== undefined) return code;
  const ignore = [...new Set(unproven.flatMap(({ path }) => path.at(-1) ?? []))];
  const isSafe = formsSchema.safeParse({ ignore }).success && unproven.every(({ meaning }) => meaning === "unknown");
  return isSafe && ignore.length > 0 ? { ignore } : {};
}

function successCode(leaves: readonly Judged[]): Forms | undefined {
  const failures = leaves.filter(({ meaning }) => meaning === "failure");
  const [code] = failures.filter(
    ({ path, value }) => isNamed(path.at(-1) ?? "", "code") && /^-?\w+$/.test(String(value)),
  );
  return code && failures.length === 1 ? { error: `${code.path.join(".")}=${String(code.value)}` } : undefined;
}

/** The lists and maps of objects, each with a field that may name its rows; then the empty ones. */
function* listsIn(json: unknown): Generator<Forms> {
  const containers = [...containersIn(json, [])].filter(({ path }) => path.length > 0);
  const found: { forms: Forms; rank: number }[] = [];
  for (const { path, value } of containers) {
    const rows = Object.values(value as object).filter((row) => typeof row === "object" && row !== null) as object[];
    const voices = path.join(".");
    const isMap = !Array.isArray(value);
    for (const [name, rank] of nameFields(rows))
      found.push({ forms: { voices, ...(name !== "voice" && { voice: name }) }, rank: rank + (isMap ? 1 : 0) });
    if (isRecord(value) && isText(value.voice)) found.push({ forms: { voices }, rank: 1 });
    const keys = Object.keys(value as object);
    const isByName = isMap && rows.length > 0 && rows.every((row) => "target_model" in row && !("voice" in row));
    if (isByName) found.push({ forms: { voices }, rank: keys.every(hasClonedShape) ? 0 : 4 });
  }
  yield* found.sort((one, other) => one.rank - other.rank).map(({ forms }) => forms);
  const empties = containers.filter(({ path, value }) => isEmpty(value) && !path.some(isAside));
  const arrays = empties.filter(({ value }) => Array.isArray(value));
  const deep = empties.filter(({ path }) => path.length > 1);
  for (const { path } of [arrays, deep, empties].find(({ length }) => length === 1) ?? [])
    yield { voices: path.join(".") };
}

function* containersIn(value: unknown, path: Path): Generator<Found> {
  if (typeof value !== "object" || value === null || path.length > deepest) return;
  yield { path, value };
  for (const [name, each] of Object.entries(value) as [string, unknown][])
    if (!isNamed(name, "echo")) yield* containersIn(each, [...path, Array.isArray(value) ? "*" : name]);
}

/** The fields that may name the rows, each with its rank: a text that differs in each row. */
function nameFields(rows: object[]): [name: string, rank: number][] {
  const [first] = rows as Record<string, unknown>[];
  return Object.keys(first ?? {}).flatMap((name): [string, number][] => {
    const texts = rows.map((row) => (row as Record<string, unknown>)[name]);
    const isNamed = texts.every(isText) && new Set(texts).size === rows.length;
    if (!isNamed || /^(target_?model|gmt_?create)$/i.test(name)) return [];
    if (texts.every((text) => hasClonedShape(text))) return [[name, 0]];
    return [[name, name === "voice" ? 1 : /voice|name|id/i.test(name) ? 2 : 3]];
  });
}

const states = /^(pending|queued|running|submitted|waiting|processing|succeeded|failed|canceled|unknown)$/i;

/** The field with a state of a task, by its value; a name like `status` comes first. */
function statusIn(leaves: readonly Found[]): string | undefined {
  const found = leaves.filter(({ path, value }) => isText(value) && states.test(value) && !path.includes("*"));
  const named = found.filter(({ path }) => /stat(us|e)|phase/i.test(path.at(-1) ?? ""));
  return (named[0] ?? (found.length === 1 ? found[0] : undefined))?.path.join(".");
}

/** The fields that may be the id of a task: by their names, then by their values. */
function tasksIn(leaves: readonly Found[]): string[] {
  const isOther = ({ path, value }: Found) => {
    const name = path.at(-1) ?? "";
    const isNamedOtherwise =
      isNamed(name, "code", "message") || /request|trace|session|time|model|url|count|num|total/i.test(name);
    return (
      isNamedOtherwise ||
      path.some((step) => isNamed(step, "echo")) ||
      states.test(String(value)) ||
      isSuccessValue(value)
    );
  };
  const rank = ({ path, value }: Found) => {
    const name = plain(path.at(-1) ?? "");
    if (/task|job|ticket/.test(name) && /\d/.test(String(value))) return 0;
    if (/id$/.test(name)) return 1;
    return isText(value) && /^\S{6,}$/.test(value) && /\d/.test(value) && !value.includes("://") ? 2 : 9;
  };
  const found = leaves.filter((leaf) => isTaskId(leaf.value) && !isOther(leaf) && rank(leaf) < 9);
  return found.sort((one, other) => rank(one) - rank(other)).map(({ path }) => path.join("."));
}

/** The places with pictures or their addresses. A name like `image` comes first. */
function picturesIn(leaves: readonly Found[]): string[] {
  const isPicture = ({ path, value }: Found) =>
    isText(value) &&
    (!value.startsWith("/") || /\.(png|jpe?g|webp|gif)\b/i.test(value)) &&
    !path.some((step) => isNamed(step, "other", "echo")) &&
    !isAside(path.at(-1) ?? "") &&
    !/prompt$/i.test(path.at(-1) ?? "") &&
    findPictures({ url: value }, "https://service.example").length > 0;
  const found = leaves.filter(isPicture).map(({ path }) => path.join("."));
  const rank = (path: string) => (/image|picture|result|output|url/i.test(path) ? 0 : 1);
  return [...new Set(found)].sort((one, other) => rank(one) - rank(other));
}

/** The texts and numbers at any depth. `*` stands for the entries of a list. */
function leavesEverywhere(value: unknown, path: Path = []): Found[] {
  if (path.length > deepest) return [];
  if (Array.isArray(value)) return value.slice(0, 20).flatMap((each) => leavesEverywhere(each, [...path, "*"]));
  if (typeof value !== "object" || value === null) return [{ path, value }];
  return Object.entries(value).flatMap(([name, each]) => leavesEverywhere(each, [...path, name]));
}
