import { seededRandom } from "./faults";
import type { Fields } from "./fields";
import { type ErrorForm, errorForms, type FailureForm, failureForms, type GmtForm, gmtForms } from "./forms";
import { hostileForm } from "./hostile";
import { type ImageForm, imageForms } from "./image-forms";
import { stamps, type Stamp, suffixes, type Suffix, type VoiceNameForm } from "./voice-names";

/**
 * One form of each point that the service's interface description leaves open. Data only: response-form.ts gives it its
 * effect. What the description states is the same in every dialect.
 */
export interface Dialect {
  /** Undefined for the two forms that the emulator speaks without a seed. */
  seed: number | undefined;
  hostile: false | "short" | "long";
  /** The object that holds the fields of a response. Null: the fields are at the top level. */
  envelopes: { voices: string | null; submission: string | null; task: string | null };
  count: { place: "usage" | "envelope" | "top"; usage: string };
  requestId: "body" | "header" | "both" | "nested";
  /** Fields beside those of a successful response that repeat that it is one. */
  successMark: Fields;
  /** Fields that nobody knows, by where they are. */
  extras: { top: Fields; envelope: Fields; row: Fields; answer: Fields };
  keyOrder: "as documented" | "shuffled";
  indent: 0 | 2;
  successStatus: { create: number; delete: number };
  list: {
    container: "array" | "map" | "envelope itself" | "nested array" | "by model";
    names: [string, string];
    /** Where a row has its fields. Beside the objects around them are empty ones. */
    rows: "flat" | "in an object" | "two levels deep";
    totals: "exact" | "absent" | "of the page" | "of pages";
    totalName: string;
    /** Whether the page's index and size are repeated. */
    echo: boolean;
    numbersAsText: boolean;
    /** The most rows of a page, whatever the request asks for. Null: as many as it asks for. */
    pageRows: number | null;
    /** Whether a page has `pageRows` rows even if the request asks for fewer. */
    ignoresPageSize: boolean;
    beyondTheEnd: "empty" | "null";
    /** Whether a list without rows has no container. */
    leavesOutEmpty: boolean;
    order: "newest first" | "oldest first" | "by name" | "by chance";
  };
  gmtCreate: GmtForm;
  voiceName: VoiceNameForm;
  /** The values of `fallback_mode` for a good voice and for a degraded one. Undefined: the field is absent. */
  fallback: { good: unknown; degraded: unknown };
  deleted: "empty" | "absent" | "null" | "with fields";
  /** A null code with the status 200 is a success: the voice is gone, as the caller wants. */
  absentVoice: { status: number; code: string | number | null };
  fullAccount: { status: number | null; code: string };
  /** Whether a refusal with the status 200 has the fields of a success too, left empty. */
  refusalHasFields: boolean;
  /** The statuses of other refusals, and of a refused key. Null: as the emulator gives them without a seed. */
  refusalStatus: number | null;
  keyStatus: number;
  errors: ErrorForm;
  decisionErrors: ErrorForm;
  task: {
    id: "uuid" | "digits" | "colons" | "base64";
    /** The states of the polls before the end. The last one is repeated. */
    waiting: string[];
    /** How many polls find a task unfinished, at least. */
    polls: number;
    finalCase: "upper" | "lower" | "capital";
    hasId: boolean;
    unknown: "state" | "404" | "400";
    images: ImageForm;
    failure: FailureForm;
    /** The parts of a task, each with a state of its own. */
    parts: "none" | "array" | "map";
    redirects: "none" | "absolute" | "relative";
    /** Whether an image is named by its whole address, or by its path at the service. */
    addresses: "whole" | "paths";
    /** How pictures come although nobody asked for it, from the first encoding to the last. */
    encodings: Encoding[];
  };
  /** How the `noul` of 0 to 1 is expressed. */
  noul: "0 to 1" | "0 to 100" | "-1 to 1";
  /** The bytes of a megabyte, in "under 10 MB". */
  megabyte: number;
  /** Names that nobody knows, for the forms that need some. */
  words: [string, string, string];
}

export type Encoding = "gzip" | "br" | "deflate";

/** What the emulator speaks by default. */
export const nestedDialect: Dialect = {
  seed: undefined,
  hostile: false,
  envelopes: { voices: "output", submission: "output", task: "output" },
  count: { place: "usage", usage: "usage" },
  requestId: "both",
  successMark: {},
  extras: { top: {}, envelope: {}, row: {}, answer: {} },
  keyOrder: "as documented",
  indent: 0,
  successStatus: { create: 200, delete: 200 },
  list: {
    ...{ container: "array", names: ["voice_list", "items"], rows: "flat", totals: "exact", totalName: "total_count" },
    ...{ echo: true, numbersAsText: false, pageRows: null, ignoresPageSize: false, beyondTheEnd: "empty" },
    ...{ leavesOutEmpty: false, order: "newest first" },
  },
  gmtCreate: "space",
  voiceName: { prefix: "svc-tts-vc-", stamp: "17 digits", separator: "-", suffix: "4 hex digits" },
  fallback: { good: undefined, degraded: true },
  deleted: "empty",
  absentVoice: { status: 400, code: "BadRequest.VoiceNotFound" },
  fullAccount: { status: null, code: "Throttling.AllocationQuota" },
  refusalHasFields: false,
  refusalStatus: null,
  keyStatus: 401,
  errors: "code and message",
  decisionErrors: "error object",
  task: {
    ...{ id: "uuid", waiting: ["PENDING", "RUNNING"], polls: 0, finalCase: "upper", hasId: true, unknown: "state" },
    ...{ images: "results", failure: "code and message", parts: "none", redirects: "none" },
    ...{ addresses: "whole", encodings: [] },
  },
  noul: "0 to 1",
  megabyte: 1_000_000,
  words: ["info", "data", "items"],
};

/** The other form without a seed: every field at the top level, and another name of the list. */
export const flatDialect: Dialect = {
  ...nestedDialect,
  envelopes: { voices: null, submission: null, task: null },
  count: { place: "top", usage: "usage" },
  list: { ...nestedDialect.list, names: ["voices", "items"] },
  decisionErrors: "code and message",
};

/** The dialect with hostile texts: in the values of its responses, and in the names of fields that nobody knows. */
export function hostileDialect(dialect: Dialect, hostile: "short" | "long"): Dialect {
  const field = { [hostileForm("note", "short")]: hostileForm("note", hostile) };
  const { top, envelope, row, answer } = dialect.extras;
  const extras = {
    top: { ...top, ...field },
    envelope: { ...envelope, ...field },
    row: { ...row, [hostileForm("note", "short")]: hostileForm("note", "short") },
    answer: { ...answer, ...field },
  };
  return { ...dialect, hostile, extras };
}

/** The dialect of a seed. Each point has random numbers of its own, so a new point changes none of the others. */
export function drawDialect(seed: number): Dialect {
  const at = (point: string) => new Draw(seededRandom(hashOf(`${seed} ${point}`)));
  /** Words of different ends differ: two fields must not get one name. */
  const word = (point: string, end: string) => at(`${point} word`).word() + end;
  const envelope = (point: string) =>
    at(point).pick<string | null>([
      null,
      "output",
      "output",
      "data",
      "result",
      "response",
      word(point, point === "task" ? "h" : "j"),
    ]);
  const list = at("list");
  const ignoresPageSize = list.chance(0.15);
  const images = at("images").pick(Object.keys(imageForms) as ImageForm[]);
  return {
    seed,
    hostile: false,
    // The description gives the submission in full.
    envelopes: { voices: envelope("voices"), submission: "output", task: envelope("task") },
    count: {
      place: at("count").pick(["usage", "usage", "envelope", "top"]),
      usage: at("usage").pick(["usage", "billing", word("usage word", "b")]),
    },
    requestId: at("request id").pick(["body", "both", "header", "nested"]),
    successMark: at("success").pick<Fields>([
      ...[{}, {}, {}, { success: true }, { status: "OK" }, { code: 200, message: "success" }],
      ...[{ code: "Success", message: "" }, { error: null }, { errors: [] }, { code: 0, msg: "ok" }],
    ]),
    extras: {
      top: at("extras at the top").extras(),
      envelope: at("extras in the envelope").extras(),
      row: at("extras of a row").extras(),
      answer: at("extras of an answer").extras(),
    },
    keyOrder: at("key order").pick(["as documented", "shuffled", "shuffled"]),
    indent: at("indent").pick([0, 0, 2]),
    successStatus: {
      create: at("created").pick([200, 200, 200, 201]),
      delete: at("deleted").pick([200, 200, 200, 202]),
    },
    list: {
      container: at("by model").chance(0.1)
        ? "by model"
        : at("container").pick(["array", "array", "array", "map", "envelope itself", "nested array"]),
      names: [
        at("list name").pick([
          ...["voice_list", "voices", "items", "list", "records", "voiceList", "rows", "entries"],
          ...[word("list word", "d"), word("other list word", "f")],
        ]),
        at("inner name").pick(["items", "list", word("inner word", "g")]),
      ],
      rows: at("rows").pick(["flat", "flat", "flat", "in an object", "two levels deep"]),
      totals: at("of pages").chance(0.15) ? "of pages" : at("totals").pick(["exact", "exact", "absent", "of the page"]),
      totalName: at("total").pick(["total_count", "total", "totalCount", "total_num", "size", word("total word", "k")]),
      echo: at("echo").chance(0.4),
      numbersAsText: at("numbers").chance(0.2),
      pageRows: ignoresPageSize ? list.pick([2, 3, 10]) : list.pick([null, null, 2, 7, 10, 50, 100]),
      ignoresPageSize,
      beyondTheEnd: at("beyond").pick(["empty", "empty", "null"]),
      leavesOutEmpty: at("empty").chance(0.2),
      order: at("order").pick(["newest first", "oldest first", "by name", "by chance"]),
    },
    gmtCreate: at("gmt_create").pick(Object.keys(gmtForms) as GmtForm[]),
    voiceName: {
      prefix:
        at("prefix").pick(["svc-tts-vc", "vc", "cosy.v3", "tts-voice", word("prefix word", "l")]) +
        at("prefix end").pick(["-", "-", "-", ".", ":", "_", ""]),
      stamp: at("stamp").pick(Object.keys(stamps) as Stamp[]),
      separator: at("separator").pick(["-", "-", "_", ".", ""]),
      suffix: at("suffix").pick(Object.keys(suffixes) as Suffix[]),
    },
    fallback: {
      good: at("fallback").pick<unknown>([undefined, undefined, false, null, "false", 0, "none"]),
      degraded: at("degraded").pick<unknown>([true, true, "true", 1]),
    },
    deleted: at("delete answer").pick(["empty", "absent", "null", "with fields"]),
    absentVoice: at("absent voice").pick<Dialect["absentVoice"]>([
      ...absentCodes.flatMap((code) => [400, 404, 403, 409, 500, 200].map((status) => ({ status, code }))),
      ...Array.from({ length: 6 }, () => ({ status: 200, code: null })),
    ]),
    fullAccount: {
      status: at("full under 200").chance(0.15) ? 200 : at("full status").pick([400, 403, 409, 429, 507]),
      code: at("full code").pick([
        ...["Throttling.AllocationQuota", "Throttling.AllocationQuota", "THROTTLING_ALLOCATION_QUOTA"],
        ...["QuotaExceeded", "VoiceLimitExceeded", "LIMIT_EXCEEDED"],
      ]),
    },
    refusalHasFields: at("fields of a refusal").chance(0.5),
    refusalStatus: at("refusal under 200").chance(0.15)
      ? 200
      : at("refusals").pick([400, 400, 403, 409, 422, 429, 500]),
    keyStatus: at("key").pick([401, 401, 403]),
    errors: at("errors").pick(Object.keys(errorForms) as ErrorForm[]),
    decisionErrors: at("decision errors").pick(Object.keys(errorForms) as ErrorForm[]),
    task: {
      id: at("task id").pick(["uuid", "digits", "colons", "base64"]),
      ...at("waiting").waiting(),
      finalCase: at("final case").pick(["upper", "upper", "upper", "upper", "upper", "upper", "lower", "capital"]),
      hasId: at("task has id").chance(0.8),
      unknown: at("unknown task").pick(["state", "404", "400"]),
      images,
      failure: at("failure").pick(Object.keys(failureForms) as FailureForm[]),
      parts: at("parts").pick(["none", "none", "none", "array", "map"]),
      redirects: at("redirects").pick(["none", "none", "absolute", "relative"]),
      // A path in a field with a made-up name could be anything.
      // A path in a field with a made-up name could be anything.
      addresses: /words/.test(images) ? "whole" : at("addresses").pick(["whole", "whole", "paths"]),
      encodings: at("encodings").pick<Encoding[]>([[], [], [], ["gzip"], ["br"], ["deflate", "gzip"]]),
    },
    noul: at("noul").pick(["0 to 1", "0 to 1", "0 to 1", "0 to 100", "-1 to 1"]),
    megabyte: at("megabyte").pick([1_000_000, 1_048_576]),
    words: [word("word 1", "m"), word("word 2", "n"), word("word 3", "p")],
  };
}

const absentCodes = [
  ...["BadRequest.VoiceNotFound", "InvalidParameter.ResourceNotExist", "VoiceNotExist", "NOT_FOUND"],
  ...["voice_not_found", "40401", 40401],
];

/** One line for each point that differs from the default dialect. A failing test prints it. */
export function describeDialect(dialect: Dialect): string {
  const lines = pointsOf(dialect)
    .filter(([point, value]) => value !== new Map(pointsOf(nestedDialect)).get(point))
    .map(([point, value]) => `  ${point}: ${value}`);
  return [`dialect ${dialect.seed ?? "without a seed"}`, ...lines].join("\n");
}

function pointsOf(dialect: Dialect): [point: string, value: string][] {
  return Object.entries(dialect).flatMap(([group, value]: [string, unknown]): [string, string][] =>
    typeof value === "object" && value !== null && !Array.isArray(value) && group !== "successMark"
      ? Object.entries(value).map(([point, each]: [string, unknown]) => [`${group}.${point}`, shown(each)])
      : [[group, shown(value)]],
  );
}

function shown(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}

/** A whole number from a text. FNV-1a: small, and the same everywhere. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  // The last characters alone change only the lower bits: mix them.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

const syllables = ["zu", "ke", "mo", "ti", "ra", "lo", "vi", "na", "pe", "so", "bru", "fla"] as const;
const extraNames = ["trace", "region", "server_time", "version", "meta", "warnings", "facets", "tags", "next", "flags"];
const extraValues: unknown[] = [
  ...[null, true, 0, 12.5, "", "ok", "0", [], ["a", "b"], {}, { a: 1, b: [2] }, [{ name: "svc", number: 3 }]],
];

class Draw {
  constructor(private readonly random: () => number) {
    // The first numbers of neighbouring seeds are alike.
    random();
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  pick<T>(values: readonly T[]): T {
    // The index is in range, and no table is empty.
    return values[Math.floor(this.random() * values.length)] as T;
  }

  word(): string {
    return this.pick(syllables) + this.pick(syllables) + this.pick(syllables);
  }

  extras(): Fields {
    const count = Math.floor(this.random() * 4);
    const name = () => (this.chance(0.5) ? this.pick(extraNames) : this.word());
    return Object.fromEntries(Array.from({ length: count }, () => [name(), this.pick(extraValues)]));
  }

  /** `UNKNOWN` comes once at most, and first: a task that was submitted just now may not be found yet. */
  waiting(): { waiting: string[]; polls: number } {
    const first = this.chance(0.3) ? ["UNKNOWN"] : [];
    const states = ["PENDING", "RUNNING", "QUEUED", "PROCESSING", "IN_PROGRESS", "running", "Pending", "SUSPENDED"];
    const waiting = [...first, this.pick(states), this.pick([...states, this.word().toUpperCase()])];
    return { waiting, polls: Math.max(first.length, Math.floor(this.random() * 4)) };
  }
}
