import type { Response } from "express";
import { type Dialect, hashOf } from "./dialect";
import type { Fields } from "./fields";
import { errorForms, failureForms, gmtForms } from "./forms";
import { hostileForm } from "./hostile";
import { imageForms, type TaskImage } from "./image-forms";
import type { Action } from "./ledger";
import type { Outcome } from "./outcome";

/** What goes over the network. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export function sendReply(response: Response, { status, headers, body }: Reply): void {
  response.status(status);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body);
}

/** The outcome of a call in the words of a dialect. */
export function replyOf(dialect: Dialect, action: Action, requestId: string, outcome: Outcome): Reply {
  const id = hostileForm(requestId, dialect.hostile);
  const said = inDialect(dialect, outcome);
  const isDocumented = action === "submit" || action === "decide";
  const place = isDocumented && said.code === undefined && dialect.requestId !== "both" ? "body" : dialect.requestId;
  const headers: Record<string, string> = { "content-type": "application/json; charset=utf-8" };
  // A header holds visible characters only, and Node.js accepts 16 KB of headers.
  if (place !== "body") headers["x-request-id"] = id.replace(/[^\x21-\x7e]/g, "").slice(0, 1000);
  const inBody = place === "body" || place === "both" ? { request_id: id } : {};
  const nested = place === "nested" ? { request_id: id } : {};
  const { code } = said;
  if (code !== undefined || said.status >= 400) {
    const form = errorForms[action === "decide" ? dialect.decisionErrors : dialect.errors];
    const error = form(code ?? "Error", hostileForm(said.message ?? "", dialect.hostile), dialect.words);
    if ("text" in error)
      return { status: said.status, headers: { ...headers, "content-type": error.type }, body: error.text };
    const left = dialect.refusalHasFields && said.status === 200 ? emptyFields(dialect, action) : {};
    const body = { ...dialect.extras.top, ...left, ...error.fields, ...inBody, ...nested };
    return { status: said.status, headers, body: textOf(dialect, body) };
  }
  const isVoiceChange = action === "create" || action === "delete";
  const status = isVoiceChange && said.status === 200 ? dialect.successStatus[action] : said.status;
  const body = isDocumented
    ? documentedBody(dialect, action, said, inBody)
    : openBody(dialect, action, said, inBody, nested);
  return { status, headers, body: textOf(dialect, { ...dialect.extras.top, ...body }) };
}

/** The fields of a successful response that a refusal leaves empty. */
function emptyFields({ envelopes, list }: Dialect, action: Action): Fields {
  const task: Fields = { task_id: "", task_status: "" };
  const fields: Partial<Record<Action, Fields>> = {
    ...{ create: { voice: "", target_model: null }, list: { [list.names[0]]: [] } },
    ...{ submit: task, poll: task, decide: { answers: null } },
  };
  const envelope = action === "decide" ? null : envelopes[action === "poll" || action === "submit" ? "task" : "voices"];
  return envelope === null ? (fields[action] ?? {}) : { [envelope]: fields[action] ?? {} };
}

type Said = Omit<Outcome, "code"> & { code?: string | number };

/** The statuses and codes of refusals are open, except for the code `Audio.PreprocessError`. */
function inDialect(dialect: Dialect, outcome: Outcome): Said {
  const { status, code } = outcome;
  const hostile = (text: string | number) =>
    typeof text === "string" && text !== "Audio.PreprocessError" ? hostileForm(text, dialect.hostile) : text;
  switch (code) {
    case undefined:
      return outcome;
    case "Throttling.AllocationQuota":
      return { ...outcome, status: dialect.fullAccount.status ?? status, code: hostile(dialect.fullAccount.code) };
    case "BadRequest.VoiceNotFound":
      if (dialect.absentVoice.code === null) return { status: 200, output: {}, usage: { count: 0 } };
      return { ...outcome, status: dialect.absentVoice.status, code: hostile(dialect.absentVoice.code) };
    case "TaskNotFound":
      // The dialect draws the status where the task is looked up.
      return { ...outcome, code: hostile(code) };
    case "InvalidApiKey":
      return { ...outcome, status: dialect.keyStatus, code: hostile(code) };
    default:
      // The emulator's own 404, 413, 429 and 500 have their meaning in HTTP.
      return {
        ...outcome,
        status: status === 400 || status === 403 ? (dialect.refusalStatus ?? status) : status,
        code: hostile(code),
      };
  }
}

/** Contract 4.5 and 4.7 give the submission and the decision in full: only the order and other fields are open. */
function documentedBody(dialect: Dialect, action: Action, { output = {}, usage }: Said, inBody: Fields): Fields {
  if (action === "decide") {
    const answers = Object.entries(output.answers as Record<string, Fields>).map(([id, answer]) => [
      id,
      { ...dialect.extras.answer, ...answer, ...(answer.type === "noul" && { noul: noulIn(dialect, answer.noul) }) },
    ]);
    return { ...output, answers: Object.fromEntries(answers) as Fields, usage, ...inBody };
  }
  const name = dialect.envelopes.submission;
  const fields = { ...dialect.extras.envelope, ...output };
  return { ...(name === null ? fields : { [name]: fields }), ...inBody };
}

function noulIn({ noul: form }: Dialect, noul: unknown): unknown {
  if (typeof noul !== "number" || form === "0 to 1") return noul;
  return Math.round((form === "0 to 100" ? noul * 100 : noul * 2 - 1) * 100) / 100;
}

/** A response whose nesting is open. */
function openBody(dialect: Dialect, action: Action, outcome: Said, inBody: Fields, nested: Fields): Fields {
  const { output = {}, usage } = outcome;
  const { envelopes, count, extras, successMark } = dialect;
  const name = action === "poll" ? envelopes.task : envelopes.voices;
  const top: Fields = { ...successMark };
  const known = fieldsOf(dialect, action, output);
  let fields: Fields | unknown[] | null | undefined = { ...extras.envelope, ...known };
  if (action === "list" && dialect.list.container === "envelope itself" && "rows" in known) {
    const { rows, ...others } = known;
    Object.assign(top, others);
    fields = (rows ?? null) as unknown[] | null;
  } else if (action === "delete" && dialect.deleted !== "empty") {
    if (dialect.deleted === "with fields") fields = { ...fields, deleted: true };
    else fields = dialect.deleted === "null" ? null : undefined;
  }
  const holder = typeof fields === "object" && fields !== null && !Array.isArray(fields) ? fields : top;
  Object.assign(holder, nested);
  if (count.place === "usage" && usage) top[count.usage] = usage;
  else Object.assign(count.place === "envelope" ? holder : top, usage);
  // The service's own fields win, whatever the names of the others.
  if (holder === fields && name === null) return { ...fields, ...top, ...fields, ...inBody };
  const isList = Array.isArray(fields) || (fields === null && action === "list");
  const envelope = name ?? (isList ? dialect.list.names[0] : undefined);
  return { ...(envelope !== undefined && fields !== undefined && { [envelope]: fields }), ...top, ...inBody };
}

function fieldsOf(dialect: Dialect, action: Action, output: Fields): Fields {
  switch (action) {
    case "list":
      return listFields(dialect, output);
    case "create":
      return createFields(dialect, output);
    case "poll":
      return taskFields(dialect, output);
    default:
      return { ...output };
  }
}

function createFields({ fallback }: Dialect, { fallback_mode: degraded, ...output }: Fields): Fields {
  return { ...output, fallback_mode: degraded === undefined ? fallback.good : fallback.degraded };
}

function listFields(dialect: Dialect, output: Fields): Fields {
  const { container, names, totals, totalName, echo, numbersAsText, beyondTheEnd, leavesOutEmpty } = dialect.list;
  const { voice_list: listed, page_index, page_size, total_count, ...others } = output;
  const known = Array.isArray(listed) ? (listed as Fields[]) : undefined;
  const rows = known ? known.map((row) => rowIn(dialect, row)) : listed;
  const number = (value: unknown) => (numbersAsText ? String(value) : value);
  const isPaged = total_count !== undefined;
  const total =
    totals === "of the page" && known
      ? known.length
      : totals === "of pages"
        ? Math.ceil(Number(total_count) / Math.max(Number(page_size), 1))
        : total_count;
  const paging = {
    ...(isPaged && echo && { page_index: number(page_index), page_size: number(page_size) }),
    ...(isPaged && totals !== "absent" && { [totalName]: number(total) }),
  };
  if (!("voice_list" in output)) return { ...others, ...paging };
  if (leavesOutEmpty && known?.length === 0) return { ...others, ...paging };
  const isBeyond = known?.length === 0 && Number(page_index) > 0;
  return { ...others, ...paging, ...held(isBeyond && beyondTheEnd === "null" ? null : rows) };

  function held(value: unknown): Fields {
    switch (container) {
      case "envelope itself":
        return { rows: value };
      case "nested array":
        return { [names[0]]: { [names[1]]: value } };
      case "map":
        if (!Array.isArray(value)) return { [names[0]]: value };
        return {
          [names[0]]: Object.fromEntries(
            known?.map(({ voice }, at) => [voice, (value as Fields[])[at]]) ?? [],
          ) as Fields,
        };
      case "by model": {
        if (!Array.isArray(value)) return { [names[0]]: value };
        const models = new Set(known?.map((row) => row.target_model));
        if (models.size > 0 || Number(page_index) > 0) models.add("another-model");
        const ofModel = (model: unknown) => (value as Fields[]).filter((_, at) => known?.[at]?.target_model === model);
        return { [names[0]]: [...models].map((model) => ({ model, [names[1]]: ofModel(model) })) };
      }
      case "array":
        return { [names[0]]: value };
    }
  }
}

function rowIn({ gmtCreate, extras, hostile, list, words }: Dialect, { gmt_create: at, ...row }: Fields): Fields {
  const ms = Date.parse(`${String(at).replace(" ", "T")}Z`);
  // A quirk has given it another form already.
  const shown = gmtCreate === "space" || Number.isNaN(ms) ? at : gmtForms[gmtCreate](new Date(ms).toISOString());
  const gmt_create = typeof shown === "string" ? hostileForm(shown, hostile && "short") : shown;
  const fields = { ...row, gmt_create };
  const [outer, inner] = words;
  switch (list.rows) {
    case "flat":
      return { ...extras.row, ...fields };
    case "in an object":
      return { ...extras.row, labels: [], [outer]: fields };
    case "two levels deep":
      return { ...extras.row, labels: [], [outer]: { tags: [], notes: {}, [inner]: fields } };
  }
}

function taskFields({ task, words, hostile }: Dialect, output: Fields): Fields {
  const { task_id, task_status: status, results, code, message, ...others } = output as Record<string, string>;
  const texts = Object.fromEntries(
    Object.entries(others).map(([name, value]) => [
      name,
      typeof value === "string" ? hostileForm(value, hostile) : value,
    ]),
  );
  const images = Array.isArray(results) ? imageForms[task.images](results as TaskImage[], words) : {};
  const failure =
    code === undefined
      ? {}
      : failureForms[task.failure](hostileForm(code, hostile), hostileForm(message ?? "", hostile), words);
  return {
    ...(task.hasId && { task_id }),
    task_status: statusIn(task, status ?? "", hostile),
    ...partsIn(task, task_id, statusIn(task, status ?? "", hostile)),
    ...texts,
    ...images,
    ...failure,
  };
}

/** The first part of a task ends before it, and well. */
function partsIn({ parts, finalCase }: Dialect["task"], task_id: unknown, status: string): Fields {
  const done = statusIn({ finalCase }, "SUCCEEDED", false);
  const all = [done, status].map((task_status, at) => ({
    task_id: `${String(task_id)}-${at}`,
    task_status,
    errors: [],
  }));
  if (parts === "none") return {};
  return { subtasks: parts === "array" ? all : { first: all[0], second: all[1] } };
}

function statusIn(
  { finalCase }: Pick<Dialect["task"], "finalCase">,
  status: string,
  hostile: Dialect["hostile"],
): string {
  if (status !== "SUCCEEDED" && status !== "FAILED") return hostileForm(status, hostile);
  if (finalCase === "lower") return status.toLowerCase();
  return finalCase === "capital" ? status.slice(0, 1) + status.slice(1).toLowerCase() : status;
}

function textOf({ seed, keyOrder, indent }: Dialect, body: Fields): string {
  return JSON.stringify(keyOrder === "shuffled" ? shuffled(body, seed ?? 0) : body, undefined, indent);
}

/** The same value, with the keys of all objects in an order by chance. */
function shuffled(value: unknown, seed: number): unknown {
  if (Array.isArray(value)) return value.map((each) => shuffled(each, seed));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, each]): [number, string, unknown] => [hashOf(`${seed} ${name}`), name, shuffled(each, seed)])
      .sort(([one], [other]) => one - other)
      .map(([, name, each]) => [name, each]),
  );
}
