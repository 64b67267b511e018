import { Draw } from "./draw";
import type { Fields } from "./fields";
import type { Action } from "./ledger";
import type { Outcome, Reply } from "./outcome";
import { hostileText, stamps, type Stamp, suffixes, type Suffix } from "./voice-names";

/**
 * The forms in which the emulator responds: those of the most similar public service, and others that a value of the
 * setting `forms` can describe.
 */

/**
 * Formats of a creation time. The argument is the ISO format with milliseconds. Undefined: the response lacks the
 * field.
 */
const times = {
  space: (iso) => `${iso.slice(0, 10)} ${iso.slice(11, 19)}`,
  iso: (iso) => iso,
  seconds: (iso) => Math.floor(Date.parse(iso) / 1000),
  "a form that nobody knows": (iso) => `day ${iso.slice(8, 10)} of ${iso.slice(0, 7)}`,
  absent: () => undefined,
} satisfies Record<string, (iso: string) => unknown>;

const errors = {
  "code and message": (code, message) => ({ code, message }),
  "error object": (code, message) => ({ error: { message, type: "invalid_request_error", param: null, code } }),
  "snake case": (code, message) => ({ error_code: code, error_msg: message }),
  "status object": (code, message) => ({ base_resp: { status_code: code, status_msg: message } }),
  "plain text": (code, message) => `${code}: ${message}`,
} satisfies Record<string, (code: string, message: string) => Fields | string>;

type Hostile = false | "short" | "long";
const absentCodes = ["BadRequest.VoiceNotFound", "InvalidParameter.ResourceNotExist", "VoiceNotExist"] as const;
const fullCodes = ["Throttling.AllocationQuota", "QuotaExceeded", "VoiceLimitExceeded", "LIMIT_EXCEEDED"] as const;
const states = ["PENDING", "RUNNING", "QUEUED", "IN_PROGRESS", "running", "SUSPENDED"] as const;

/**
 * Chooses a form for each point that the service's interface description leaves open. Each point has its own random
 * numbers, so that a new point does not change the choice for another point.
 */
function dialectOf(at: (point: string) => Draw, seed?: number) {
  const forms = at("foreign").chance(0.2) ? foreignForms(seed ?? 0) : undefined;
  const list = at("list");
  const ignoresPageSize = list.chance(0.15);
  const totals = at("totals").pick(["exact", "exact", "absent", "of the page"]);
  const mayLackList = forms === undefined && totals !== "absent";
  // `UNKNOWN` comes only once, and first: a service may not find a task that was submitted just now.
  const first = at("waiting").chance(0.3) ? ["UNKNOWN"] : [];
  return {
    seed,
    hostile: false as Hostile,
    /** The value of the setting `forms` that this dialect needs. Undefined if it needs none. */
    forms,
    /** The name of the object that contains the fields of a response. Null: the fields are at the top level. */
    envelope: at("voices").pick([null, "output", "output", "data", "result"], "output"),
    requestId: at("request id").pick(["body", "both", "header"], "both"),
    /** Additional fields of a success response that report the success. */
    successMark: at("success").pick<Fields>([
      {},
      {},
      { success: true },
      { code: "200", message: "done" },
      { error: null },
    ]),
    /** The HTTP status of a successful create or delete. */
    created: at("created").pick([200, 200, 201]),
    deleted: at("deleted").pick([200, 200, 200, 202]),
    list: {
      name: at("list name").pick(["voice_list", "voices", "voiceList"]),
      isMap: at("container").chance(0.2),
      totals,
      /** Whether a page repeats the page number and the page size of the request. */
      echo: at("echo").chance(0.4, true),
      /** The most rows of a page. Null: as many as the request asks for. */
      pageRows: ignoresPageSize ? list.pick([2, 3, 10]) : list.pick([null, null, 2, 7, 10, 50, 100]),
      /** Whether a page has `pageRows` rows even if the request asks for fewer. */
      ignoresPageSize,
      /** The value of the voices' field on a page after the last one. */
      beyondTheEnd: at("beyond").pick(["empty", "empty", "null"]),
      // The voices' field of an empty account. It is not absent together with `forms`, which can't describe an absent
      // list. It is not absent without a total either, because an unknown field might then hold the voices.
      whenEmpty: (mayLackList && at("empty").chance(0.2) ? "absent" : "empty") as "empty" | "null" | "absent",
      order: at("order").pick(["newest first", "oldest first", "by name", "by chance"]),
    },
    gmtCreate: at("gmt_create").pick(Object.keys(times) as (keyof typeof times)[]),
    voiceName: {
      prefix: at("prefix").pick(["svc-tts-vc", "vc", "cosy.v3"]) + at("prefix end").pick(["-", "-", ".", ":", "_", ""]),
      stamp: at("stamp").pick(Object.keys(stamps) as Stamp[]),
      separator: at("separator").pick(["-", "-", "_", ".", ""]) as string,
      suffix: at("suffix").pick(Object.keys(suffixes) as Suffix[]),
    },
    absentVoice: {
      status: at("absent status").pick([400, 404, 403, 409, 500, 200]),
      code: at("absent").pick(absentCodes),
    },
    /** The refusal of a create in a full account. If `status` is null, it is the same as without a seed. */
    fullAccount: {
      status: at("full status").pick([null, 200, 400, 403, 429, 507]),
      code: at("full code").pick(fullCodes),
    },
    refusalStatus: at("refusals").pick([null, 200, 400, 403, 409, 422, 429, 500]),
    keyStatus: at("key").pick([401, 401, 403, 200]),
    errors: at("errors").pick(Object.keys(errors) as (keyof typeof errors)[]),
    task: {
      id: at("task id").pick(["uuid", "digits", "colons", "base64"]),
      /** The states that polls report before the task has ended. The last state is repeated. */
      waiting: [...first, at("state").pick(states), at("next state").pick(states, "RUNNING")] as string[],
      /** At least this many polls find the task unfinished. */
      polls: Math.max(first.length, at("polls").pick([0, 1, 2, 3])),
      unknown: at("unknown task").pick(["state", "404", "400"]),
      images: at("images").pick(["results", "results", "image_url"]),
      redirects: at("redirects").pick(["none", "none", "absolute", "relative"]),
      /** Whether a response has a picture's whole URL or its path at the service. */
      addresses: at("addresses").pick(["whole", "whole", "paths"]),
      /**
       * The content encodings of a downloaded picture, in the order in which they are applied. Requests do not ask for
       * them.
       */
      encodings: at("encodings").pick<("gzip" | "br" | "deflate")[]>([[], [], ["gzip"], ["br"], ["deflate", "gzip"]]),
    },
    /** The number of bytes of a megabyte in the limit "under 10 MB". */
    megabyte: at("megabyte").pick([1_000_000, 1_048_576]),
  };
}

export type Dialect = ReturnType<typeof dialectOf>;

export const drawDialect = (seed: number): Dialect => dialectOf((point) => new Draw(`${seed} ${point}`), seed);

/** The emulator's default dialect. */
export const nestedDialect = dialectOf(() => new Draw());

/** The other dialect that needs no seed. All fields are at the top level, and the list of voices has another name. */
export const flatDialect: Dialect = {
  ...nestedDialect,
  envelope: null,
  list: { ...nestedDialect.list, name: "voices" },
};

/** For each field: the part of the setting `forms` that describes its path. */
const partOf: Readonly<Record<string, string>> = {
  ...{ voice_list: "voices", voices: "voices", voiceList: "voices", voice: "voice", total_count: "total" },
  ...{ task_id: "task", task_status: "status", results: "pictures" },
};

function foreignForms(seed: number): Readonly<Record<string, string>> {
  const draw = new Draw(`${seed} words`);
  // Each word ends with a letter of its own, so that two fields never get the same name.
  const [top, list, rows, name, total, job, id, state, files, link] = "b d f g h k l m n p"
    .split(" ")
    .map((end) => draw.word() + end);
  const all: [string, string][] = [
    ["voices", `${top}.${list}.${rows}`],
    ["voice", String(name)],
    ["total", `${top}.${total}`],
    ["task", `${top}.${job}.${id}`],
    ["status", `${top}.${job}.${state}`],
    ["pictures", `${top}.${files}.*.${link}`],
    ["error", draw.pick(["code=10000", "ret=7", "status_code=20000"])],
  ];
  const chosen = all.filter(() => draw.chance(0.6));
  return Object.fromEntries(chosen.length === 0 ? all : chosen);
}

/** Gives the outcome of a call the form of a dialect. */
export function replyOf(dialect: Dialect, action: Action, requestId: string, outcome: Outcome): Reply {
  const { hostile } = dialect;
  const id = hostileForm(requestId, hostile);
  const headers: Record<string, string> = { "content-type": "application/json; charset=utf-8" };
  // A header may contain visible characters only, and Node.js accepts at most 16 KB of headers.
  if (dialect.requestId !== "body") headers["x-request-id"] = id.replace(/[^\x21-\x7e]/g, "").slice(0, 1000);
  const isDocumented = action === "submit" || action === "decide";
  const common = {
    ...unknownField(hostile),
    ...((isDocumented || dialect.requestId !== "header") && { request_id: id }),
  };
  const { status, code, message = "" } = refusalIn(dialect, outcome);
  if (code === undefined && status < 400) {
    const own = { create: dialect.created, delete: dialect.deleted }[action as string] ?? status;
    return { status: own, headers, body: JSON.stringify({ ...bodyOf(dialect, action, outcome), ...common }) };
  }
  // The interface description states this code, so a hostile dialect does not change it.
  const shown = code === "Audio.PreprocessError" ? code : hostileForm(code ?? "Error", hostile);
  const form = action === "decide" && dialect.envelope !== null ? "error object" : dialect.errors;
  const error = errors[form](shown, hostileForm(message, hostile));
  if (typeof error !== "string") return { status, headers, body: JSON.stringify({ ...error, ...common }) };
  return { status, headers: { ...headers, "content-type": "text/plain" }, body: error };
}

function refusalIn({ fullAccount, absentVoice, keyStatus, refusalStatus }: Dialect, outcome: Outcome): Outcome {
  const { status, code } = outcome;
  if (code === "Throttling.AllocationQuota")
    return { ...outcome, ...fullAccount, status: fullAccount.status ?? status };
  if (code === "BadRequest.VoiceNotFound") return { ...outcome, ...absentVoice };
  if (code === "InvalidApiKey") return { ...outcome, status: keyStatus };
  if (code === "TaskNotFound") return outcome;
  // A dialect does not change 404, 413, 429 and 500, because HTTP defines their meaning.
  return { ...outcome, status: status === 400 || status === 403 ? (refusalStatus ?? status) : status };
}

/**
 * The body of a success response. The contract describes it completely for `submit` (4.5) and `decide` (4.7). For the
 * other calls, the dialect decides how the fields are nested.
 */
function bodyOf(dialect: Dialect, action: Action, { output = {}, usage }: Outcome): Fields {
  if (action === "decide") return { ...output, usage };
  const forms = dialect.forms ?? {};
  const envelope = action === "submit" && dialect.envelope !== null ? "output" : dialect.envelope;
  const fields =
    action === "list" ? listFields(dialect, output) : action === "poll" ? taskFields(dialect, output) : output;
  const [code, success] = forms.error?.split("=") ?? [];
  const body: Fields = {
    ...(action !== "submit" && dialect.successMark),
    ...(code !== undefined && { [code]: Number(success) }),
  };
  if (envelope !== null) body[envelope] = {};
  for (const [name, value] of Object.entries(fields)) {
    const part = partOf[name] ?? "";
    const isNamed = part === "voice" || forms[part] === undefined;
    put(
      body,
      isNamed ? [...(envelope === null ? [] : [envelope]), forms[part] ?? name] : (forms[part] ?? "").split("."),
      value,
    );
  }
  return { ...body, ...(envelope === null ? usage : { usage }) };
}

/**
 * Sets the value at a path. If the path ends with `*` and a name, the entries of the value get this name instead of
 * `url`.
 */
function put(body: Fields, [name = "", ...rest]: string[], value: unknown): void {
  const [next, link = ""] = rest;
  if (next === undefined) body[name] = value;
  else if (next !== "*") put((body[name] ??= {}) as Fields, rest, value);
  else
    body[name] = (value as Fields[]).map(({ url, ...others }) =>
      url === undefined ? others : { [link]: url, ...others },
    );
}

function listFields({ list, forms, gmtCreate, hostile }: Dialect, output: Fields): Fields {
  const { voice_list, page_index, page_size, total_count } = output;
  if (!Array.isArray(voice_list)) return output;
  const listed = voice_list as Fields[];
  const rows = listed.map(({ voice, gmt_create, ...row }) => {
    const time = times[gmtCreate](new Date(`${String(gmt_create).replace(" ", "T")}Z`).toISOString());
    const shown = typeof time === "string" ? hostileForm(time, hostile && "short") : time;
    return { [forms?.voice ?? "voice"]: voice, ...row, ...unknownField(hostile && "short"), gmt_create: shown };
  });
  const total = list.totals === "exact" ? total_count : listed.length;
  const paging = {
    ...(total_count !== undefined && list.echo && { page_index, page_size }),
    ...(total_count !== undefined && list.totals !== "absent" && { total_count: total }),
  };
  const empty = Number(page_index ?? 0) > 0 ? list.beyondTheEnd : list.whenEmpty;
  if (rows.length === 0 && empty !== "empty") return { ...paging, ...(empty === "null" && { [list.name]: null }) };
  const byName = () => Object.fromEntries(listed.map(({ voice }, at) => [String(voice), rows[at]])) as Fields;
  return { ...paging, [list.name]: list.isMap ? byName() : rows };
}

function taskFields({ task, forms, hostile }: Dialect, { results, ...output }: Fields): Fields {
  const isStated = (name: string) =>
    name === "task_id" || (name === "task_status" && /^(SUCCEEDED|FAILED)$/.test(String(output[name])));
  const texts = Object.entries(output).map(
    ([name, value]) =>
      [name, typeof value === "string" && !isStated(name) ? hostileForm(value, hostile) : value] as const,
  );
  const images = Array.isArray(results) ? (results as Fields[]) : [];
  const isOneText =
    task.images === "image_url" && images.length === 1 && images[0]?.url !== undefined && forms?.pictures === undefined;
  return {
    ...Object.fromEntries(texts),
    ...(isOneText ? { image_url: images[0]?.url } : results !== undefined && { results }),
  };
}

/**
 * Describes a dialect, with one line for each point in which it differs from the default dialect. A failing test prints
 * it.
 */
export function describeDialect(dialect: Dialect): string {
  const points = (of: Dialect) => Object.entries(of).map(([point, value]) => `  ${point}: ${JSON.stringify(value)}`);
  const usual = new Set(points(nestedDialect));
  return [`dialect ${dialect.seed ?? "without a seed"}`, ...points(dialect).filter((each) => !usual.has(each))].join(
    "\n",
  );
}

const million = "x".repeat(1_000_000);
export const hostileForm = (text: string, mode: Hostile) =>
  mode === false ? text : text + hostileText + (mode === "long" ? million : "");
const unknownField = (mode: Hostile): Fields =>
  mode === false ? {} : { [hostileForm("note", "short")]: hostileForm("note", mode) };

const listWith =
  (list: Partial<Dialect["list"]>) =>
  (of: Dialect): Dialect => ({ ...of, list: { ...of.list, ...list } });

/**
 * Variants of a dialect that the interface description does not exclude. The emulator uses them only if they are set.
 */
const quirkPoints = {
  "refusal-as-200": ({ fullAccount, absentVoice, ...of }) => {
    const status = 200 as const;
    const shown = { fullAccount: { ...fullAccount, status }, absentVoice: { ...absentVoice, status } };
    return { ...of, ...shown, refusalStatus: status, keyStatus: status };
  },
  "null-list": listWith({ whenEmpty: "null" }),
  "absent-list": listWith({ whenEmpty: "absent" }),
  "no-gmt-create": (of) => ({ ...of, gmtCreate: "absent" }),
  "gmt-create-seconds": (of) => ({ ...of, gmtCreate: "seconds" }),
  "gmt-create-other": (of) => ({ ...of, gmtCreate: "a form that nobody knows" }),
} satisfies Record<string, (of: Dialect) => Dialect>;
export type Quirk =
  keyof typeof quirkPoints | ("small-pages" | "unknown-create" | "double-count" | "missing-answer" | "out-of-range");

export const dialectWith = (dialect: Dialect, quirks: ReadonlySet<Quirk>): Dialect =>
  Object.entries(quirkPoints).reduce((of, [quirk, change]) => (quirks.has(quirk as Quirk) ? change(of) : of), dialect);
