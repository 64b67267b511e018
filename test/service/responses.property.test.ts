import fc from "fast-check";
import type { Forms } from "../../provider/src/rules/settings";
import { parseBody } from "../../provider/src/service/responses/json";
import { findPictures, readSubmittedTask, taskStatusIn } from "../../provider/src/service/responses/images";
import { isRefusal } from "../../provider/src/service/responses/error";
import { readVoiceList } from "../../provider/src/service/responses/voice-list";
import { readCreatedVoice } from "../../provider/src/service/responses/voices";

/**
 * Responses of any form, drawn with decoys beside what is wanted: whatever is read is right, or is reported as not
 * understood. Those of the default forms are always understood, and the others with the setting `forms`.
 * `RANDOM_INPUTS=100000` draws as many of each kind, and prints how many were not understood without a setting.
 */

const numRuns = Number(process.env.RANDOM_INPUTS ?? 1500);
const seed = Number(process.env.RANDOM_SEED ?? 58);

type Judged = "right" | "not understood";

function draw<T>(what: string, arbitrary: fc.Arbitrary<T>, judge: (value: T) => Judged): void {
  let [drawn, open] = [0, 0];
  const count = (value: T) => {
    drawn++;
    if (judge(value) === "not understood") open++;
  };
  fc.assert(fc.property(arbitrary, count), { numRuns, seed, endOnFailure: true });
  if (process.env.RANDOM_INPUTS) console.log(`${what}: ${drawn} drawn, ${((100 * open) / drawn).toFixed(1)} % open`);
}

/** As it comes over the network. */
const received = (json: unknown) => parseBody(JSON.stringify(json)).json;
const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

const word = fc.stringMatching(/^[a-z]{4,8}$/).map((text) => `z_${text}`);
const scalar = fc.constantFrom<unknown>(1, 17, true, false, "a", "2026-01-01T00:00:00Z", null);
const extras = fc.dictionary(word, scalar, { maxKeys: 2 });
/** The envelopes of the default forms, and others. */
const near = fc.oneof(fc.constant([]), fc.tuple(fc.oneof(fc.constantFrom("output", "data", "result"), word)));
const far = fc.array(fc.oneof(fc.constantFrom("data", "payload"), word), { minLength: 2, maxLength: 3 });
const envelopes = fc.oneof({ weight: 3, arbitrary: near }, far);
const successMark = fc.constantFrom<object>(
  ...[{}, {}, { success: true }, { code: 0, msg: "ok" }, { code: "200", message: "done" }, { status: "OK" }],
  ...[{ base_resp: { status_code: 0, status_msg: "success" } }, { error: null }, { has_more: false }],
);
const failure = fc.constantFrom<object>(
  ...[{ base_resp: { status_code: 1002, status_msg: "rate limit" } }, { error: true }, { statusCode: 503 }],
  ...[
    { code: "InternalError", message: "failed" },
    { error: { code: "Busy" } },
    { status: "FAILED" },
    { success: false },
  ],
  ...[{ errors: [{ message: "shard 3 failed" }] }, { has_more: true }, { degraded: "cache" }, { ret: 1, desc: "no" }],
  ...[{ code: 50000 }, { err_no: 17 }, { state: "unavailable" }, { result: "timeout" }, { partial: true }],
);
const nested = (core: object, around: readonly string[], beside: object): object => ({
  ...around.reduce<object>((inner, name) => ({ [name]: inner }), core),
  ...beside,
});

/** The path of a field of `core`: the last envelope is the outermost. */
const pathIn = (around: readonly string[], ...names: string[]) => [...[...around].reverse(), ...names].join(".");

const shaped = [
  "svc-a-voice-20250812105009984-838b",
  "svc-b_1-voice-20250811105009984-838c",
  "vc.c-voice-2025081110-zz",
];
const lax = ["narrator", "v-2", "guide_en"];

const list = fc.record({
  isLax: fc.boolean(),
  count: fc.integer({ min: 0, max: 3 }),
  form: fc.constantFrom("array", "array", "array", "map", "keyed", "numbered", "wrapped", "by model", "text"),
  name: fc.oneof(fc.constantFrom("voice_list", "voices", "voiceList", "items", "records"), word),
  field: fc.oneof({ weight: 4, arbitrary: fc.constant("voice") }, word),
  inner: word,
  extra: extras,
  rowExtra: extras,
  mark: successMark,
  around: envelopes,
  total: fc.constantFrom("none", "total_count", "total"),
  failure,
  decoyInRow: fc.constantFrom<object>(
    ...[{}, { labels: { voice: "female" } }, { samples: [{ voice: "loud", url: "https://a.example/1.wav" }] }],
    { clone_of: { voice: "svc-old-voice-20240101000000000-aaaa", target_model: "m-0" } },
  ),
  decoy: fc.constantFrom<object>(
    ...[{}, { default_voice: { voice: "alloy", target_model: "m-1" } }, { models: [{ model: "m-1", voice: "alloy" }] }],
    ...[{ presets: [{ voice: "alloy", target_model: "m-1" }] }, { usage: { voice: "minutes", count: 0 } }],
    { hints: "voice,gmt_create of the last call" },
  ),
});
type DrawnList = typeof list extends fc.Arbitrary<infer T> ? T : never;

function bodyOf(drawn: DrawnList, { cut, beside = {} }: { cut?: unknown; beside?: object } = {}) {
  const truth = (drawn.isLax ? lax : shaped).slice(0, drawn.count);
  const rows = truth.map((voice, at) => ({
    ...drawn.rowExtra,
    ...{ [drawn.field]: voice, target_model: `m-${at % 2}`, gmt_create: "2025-08-12 10:50:09", ...drawn.decoyInRow },
  }));
  const withoutName = rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => name !== drawn.field)),
  );
  const containers: Record<typeof drawn.form, () => unknown> = {
    array: () => rows,
    map: () => Object.fromEntries(rows.map((row, at) => [String(truth[at]), row])),
    keyed: () => Object.fromEntries(withoutName.map((row, at) => [String(truth[at]), row])),
    numbered: () => Object.fromEntries(rows.map((row, at) => [String(at), row])),
    wrapped: () => rows.map((row) => ({ [drawn.inner]: row, note: null })),
    "by model": () => [{ model: "m", [drawn.inner]: rows }],
    text: () => JSON.stringify(rows),
  };
  const total = drawn.total === "none" ? {} : { [drawn.total]: cut === undefined ? drawn.count : 0 };
  const core = { ...drawn.extra, [drawn.name]: cut ?? containers[drawn.form](), ...total };
  return { json: received(nested(core, drawn.around, { request_id: "r-1", count: 0, ...beside })), truth };
}

function judgeList({ json, truth }: ReturnType<typeof bodyOf>, forms?: Forms): Judged {
  const page = attempt(() => readVoiceList(json, true, forms));
  if (page === undefined) return "not understood";
  const found = page.rows.map(({ voice }) => voice);
  const isCertain = page.doubt === undefined && (page.total ?? 0) <= found.length && page.more === undefined;
  const strange = found.filter((voice) => !truth.includes(voice));
  if (strange.length > 0) throw new Error(`read ${strange.join()} as voices of the account`);
  const missing = truth.filter((voice) => !found.includes(voice));
  if (isCertain && missing.length > 0) throw new Error(`certain that ${missing.join()} do not exist`);
  return isCertain ? "right" : "not understood";
}

describe("a list is read right, or not understood", () => {
  test("beside other objects that have a `voice`; without them, the setting `forms` makes it readable", () => {
    draw("lists", fc.tuple(list, fc.boolean()), ([any, hasDecoys]) => {
      const drawn = hasDecoys ? any : { ...any, decoyInRow: {}, decoy: {} };
      const body = bodyOf(drawn, { beside: { ...drawn.mark, ...drawn.decoy } });
      const judged = judgeList(body);
      const isListOfRows = ["array", "numbered"].includes(drawn.form);
      if (judged === "not understood" && !hasDecoys && drawn.count > 0 && isListOfRows)
        expect(judgeList(body, { voices: pathIn(drawn.around, drawn.name), voice: drawn.field })).toBe("right");
      return judged;
    });
  });

  test("in the default forms, always", () => {
    const usual = { form: fc.constantFrom("array" as const), name: fc.constantFrom("voice_list", "voices") };
    const drawn = fc.tuple(
      list,
      fc.record({ ...usual, around: near, decoyInRow: fc.constant({}), field: fc.constant("voice") }),
    );
    draw("lists of default forms", drawn, ([any, given]) => {
      const judged = judgeList(bodyOf({ ...any, ...given, extra: {} }, { beside: any.mark }));
      expect(judged).toBe("right");
      return judged;
    });
  });

  test("with a failure beside it, and all of the voices left out", () => {
    const drawn = fc.tuple(list, fc.constantFrom<unknown>([], {}, null, ""));
    draw("failed lists", drawn, ([each, cut]) =>
      judgeList(bodyOf({ ...each, count: 2 }, { cut, beside: each.failure })),
    );
  });
});

test("a create has the voice that was made, and none of those beside it", () => {
  const drawn = fc.record({
    field: fc.oneof(fc.constant("voice"), word),
    around: envelopes,
    extra: extras,
    decoy: fc.constantFrom<object>(
      {},
      { base: { voice: "alloy" } },
      { input: { voice: "alloy" } },
      { preset: { x: { voice: "alloy" } } },
    ),
  });
  draw("creates", drawn, ({ field, around, extra, decoy }) => {
    const json = received(nested({ [field]: shaped[0], ...extra }, around, { request_id: "r", ...decoy }));
    const voice = attempt(() => readCreatedVoice(json, "a").voice);
    if (voice !== undefined && voice !== shaped[0]) throw new Error(`read ${voice}`);
    return voice === undefined ? "not understood" : "right";
  });
});

test("a submission has its own id, is no refusal, and the setting `forms` makes it readable", () => {
  const done = fc.record({
    id: fc.constantFrom<unknown>("t-1234", 17, "7418048504813240371"),
    field: fc.constantFrom("task_id", "id", "taskId", "job"),
    mark: fc.oneof(
      successMark,
      fc.constantFrom<object>(
        { code: 1, description: "queued" },
        { parent: { task_id: "t-0" } },
        { tasks: [{ task_id: "t-0" }] },
      ),
    ),
    around: envelopes,
    extra: extras,
  });
  draw("submissions", done, ({ id, field, mark, around, extra }) => {
    const json = received(nested({ [field]: id, ...extra }, around, { request_id: "r", ...mark }));
    const read = (forms?: Forms) => attempt(() => readSubmittedTask(json, forms).taskId);
    const own = read();
    if (own !== undefined && own !== String(id)) throw new Error(`read ${own} as the id`);
    if (isRefusal(json)) throw new Error("taken for a refusal");
    const isAlone = !("parent" in mark || "tasks" in mark);
    if (own === undefined && isAlone) expect(read({ task: pathIn(around, field), error: "code=1" })).toBe(String(id));
    return own === undefined ? "not understood" : "right";
  });
});

test("a looked-up task has the state of its own task_status, or none", () => {
  const drawn = fc.record({
    status: fc.constantFrom("PENDING", "RUNNING", "SUCCEEDED", "FAILED", "UNKNOWN"),
    hasId: fc.boolean(),
    around: envelopes,
    extra: extras,
    decoy: fc.constantFrom<object>(
      ...[{}, { status: "SUCCEEDED" }, { state: "failed" }, { previous: { task_id: "t-0", task_status: "SUCCEEDED" } }],
      ...[{ steps: [{ task_status: "SUCCEEDED" }] }, { parent: { task_id: "other", task_status: "FAILED" } }],
      ...[{ last: { task_status: "SUCCEEDED" } }, { retry_of: { task: { task_status: "FAILED" } } }],
      { tasks: [{ task_id: "t-0", task_status: "FAILED" }] },
    ),
  });
  draw("looked-up tasks", drawn, ({ status, hasId, around, extra, decoy }) => {
    const core = { ...extra, ...(hasId && { task_id: "t-1" }), task_status: status };
    const json = received(nested(core, around, { request_id: "r", ...decoy }));
    const found = attempt(() => taskStatusIn(json, "t-1"));
    if (found !== undefined && found !== status) throw new Error(`read ${found}, and it is ${status}`);
    if (found === undefined && Object.keys(decoy).length === 0)
      expect(taskStatusIn(json, "t-1", { status: pathIn(around, "task_status") })).toBe(status);
    return found === undefined ? "not understood" : "right";
  });
});

describe("the pictures of a finished task", () => {
  const lookUp = "https://service.example/api/v1/tasks/t-1";
  const right = ["https://img.example/1.png?Expires=1&Signature=a%2Fb", "https://img.example/2.png"];
  const base64 = Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), Buffer.alloc(90, 7)]).toString(
    "base64",
  );
  const form = fc.record({
    count: fc.integer({ min: 1, max: 2 }),
    form: fc.constantFrom("rows", "rows", "texts", "one", "deep", "base64", "data"),
    name: fc.oneof(fc.constantFrom("results", "images", "urls", "result", "output_images"), word),
    field: fc.oneof(fc.constantFrom("url", "url", "image", "image_url"), word),
    around: near,
    extra: extras,
    decoy: fc.constantFrom<object>(
      ...[{ source_url: "https://me.example/source.png" }, { thumbnail: "https://img.example/thumb.png" }],
      ...[{ urls: { get: lookUp, cancel: `${lookUp}/cancel` } }, { avatar: { url: "https://me.example/a.png" } }],
      ...[{ docs: "https://docs.example/help" }, { input: { images: ["https://me.example/in.png"] } }],
      ...[{ prompt: "https://me.example/in-the-prompt.png" }, { key: "store/of/another.png" }],
      ...[
        { text: "![it](https://img.example/in-markdown.png)" },
        { references: [{ url: "https://me.example/r.png" }] },
      ],
      { image_256: "https://img.example/s.png", image_1024: "https://img.example/l.png" },
    ),
    inRow: fc.boolean(),
  });
  type Drawn = typeof form extends fc.Arbitrary<infer T> ? T : never;
  const taskOf = ({ count, name, field, around, extra, decoy, inRow, ...each }: Drawn, hasDecoy: boolean) => {
    const urls = each.form === "one" ? right.slice(0, 1) : right.slice(0, count);
    const beside = hasDecoy && inRow ? decoy : {};
    const shapes: Record<typeof each.form, object> = {
      rows: { [name]: urls.map((url) => ({ ...beside, [field]: url })) },
      texts: { [name]: urls },
      one: { [name]: { ...beside, [field]: urls[0] } },
      deep: { [name]: urls.map((url) => ({ message: { content: [{ ...beside, [field]: url }] } })) },
      base64: { [name]: urls.map(() => ({ [field]: base64 })) },
      data: { [name]: urls.map(() => `data:image/png;base64,${base64}`) },
    };
    const core = { ...extra, ...shapes[each.form], ...(hasDecoy && !inRow && decoy), task_status: "SUCCEEDED" };
    const wanted = /base64|data/.test(each.form) ? urls.map(() => base64) : urls;
    return { json: received(nested(core, around, { request_id: "r" })), wanted };
  };
  /** The path of the pictures. */
  const placeOf = ({ form, around, name, field }: Drawn) => {
    const inside: Record<typeof form, string[]> = {
      ...{ rows: ["*", field], texts: ["*"], one: [field], deep: ["*", "message", "content", "*", field] },
      ...{ base64: ["*", field], data: ["*"] },
    };
    return pathIn(around, name, ...inside[form]);
  };
  const judge = ({ json, wanted }: ReturnType<typeof taskOf>, forms?: Forms): Judged => {
    const images = findPictures(json, lookUp, forms);
    const found = images.flatMap((image) => ("url" in image ? [image.url] : "content" in image ? [image.content] : []));
    if (found.length === 0) return "not understood";
    expect(found).toEqual(wanted);
    return "right";
  };

  test("are the right ones or not recognised; without other addresses, the setting `forms` finds them", () => {
    draw("pictures", fc.tuple(form, fc.boolean()), ([each, hasDecoy]) => {
      const task = taskOf(each, hasDecoy);
      const judged = judge(task);
      if (hasDecoy) return judged;
      if (judged === "not understood") expect(judge(task, { pictures: placeOf(each) })).toBe("right");
      if (each.form === "rows" && each.field === "url" && each.name === "results") expect(judged).toBe("right");
      return judged;
    });
  });
});
