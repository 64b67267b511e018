import fc from "fast-check";
import type { Forms } from "../../provider/src/rules/forms";
import { hasClonedShape } from "../../provider/src/rules/naming";
import { saysDeleted } from "../../provider/src/service/responses/deletion";
import { placesOf } from "../../provider/src/service/responses/fields";
import { parseBody } from "../../provider/src/service/responses/json";
import { findPictures } from "../../provider/src/service/responses/pictures";
import { isRefusal } from "../../provider/src/service/responses/refusal";
import { suggestForms } from "../../provider/src/service/responses/suggest-forms";
import { readSubmittedTask } from "../../provider/src/service/responses/submitted-task";
import { taskStatusIn } from "../../provider/src/service/responses/task";
import { readVoiceList, saysMore } from "../../provider/src/service/responses/voice-list";

/**
 * Responses in legal forms that are drawn, with decoys beside what is wanted: whatever is read is right, or is reported as
 * not understood. `RANDOM_INPUTS=100000` draws as many of each, and prints how many were not understood.
 */

const numRuns = Number(process.env.RANDOM_INPUTS ?? 1500);
const seed = Number(process.env.RANDOM_SEED ?? 58);

/** Counts what was not understood. */
class Tally {
  drawn = 0;
  notUnderstood = 0;
  get share() {
    return this.notUnderstood / this.drawn;
  }
}

function draw<T>(arbitrary: fc.Arbitrary<T>, judge: (value: T) => "right" | "not understood"): Tally {
  const tally = new Tally();
  fc.assert(
    fc.property(arbitrary, (value) => {
      tally.drawn++;
      if (judge(value) === "not understood") tally.notUnderstood++;
    }),
    { numRuns, seed, endOnFailure: true },
  );
  return tally;
}

const report = (what: string, tally: Tally) =>
  process.env.RANDOM_INPUTS &&
  console.log(`${what}: ${tally.drawn} drawn, ${(100 * tally.share).toFixed(2)} % not understood`);

const word = fc.stringMatching(/^[a-z]{4,8}$/).map((text) => `z_${text}`);
const envelopeName = fc.oneof(fc.constantFrom("output", "data", "result", "payload", "response", "body"), word);
const containerName = fc.oneof(
  fc.constantFrom("voice_list", "voices", "items", "list", "records", "rows", "voiceList"),
  word,
);
const scalar = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.constantFrom("a", "b", "2026-01-01T00:00:00Z"),
  fc.constant(null),
);
const extras = fc.dictionary(word, scalar, { maxKeys: 2 });
const successMark = fc.constantFrom<object>(
  ...[{}, {}, { success: true }, { code: 0, msg: "ok" }, { code: 10000, message: "Success" }, { status: "OK" }],
  ...[{ base_resp: { status_code: 0, status_msg: "success" } }, { error: null }, { has_more: false }],
);
const failureEnvelope = fc.constantFrom<object>(
  ...[
    { base_resp: { status_code: 1002, status_msg: "rate limit" } },
    { error: true },
    { statusCode: 503 },
    { success: false },
  ],
  ...[
    { code: "InternalError", message: "failed" },
    { error: { code: "Busy" } },
    { status: "FAILED" },
    { ret: 1, desc: "no" },
  ],
  ...[{ errors: [{ message: "shard 3 failed" }] }, { has_more: true }, { degraded: "cache" }, { partial: true }],
  ...[{ code: 50000 }, { err_no: 17 }, { state: "unavailable" }, { result: "timeout" }, { warning: "incomplete" }],
);

const nested = (core: object, envelopes: readonly string[], beside: object): object => ({
  ...envelopes.reduce<object>((inner, name) => ({ [name]: inner }), core),
  ...beside,
});

const names = {
  shaped: ["svc-a-voice-20250812105009984-838b", "svc-b_1-voice-20250811105009984-838c", "vc.c-voice-2025081110-zz"],
  lax: ["narrator", "v-2", "guide_en"],
};

interface DrawnList {
  json: object;
  /** The voices that the account has. */
  truth: string[];
  isLax: boolean;
}

/** A list in a legal form. */
const listForm = fc
  .record({
    isLax: fc.boolean(),
    count: fc.integer({ min: 0, max: 3 }),
    form: fc.constantFrom("array", "map", "keyed", "numbered", "wrapped", "in an array", "by model", "groups", "text"),
    name: containerName,
    inner: word,
    extra: extras,
    rowExtra: extras,
    mark: successMark,
    envelopes: fc.array(envelopeName, { maxLength: 2 }),
    total: fc.constantFrom("none", "total_count", "total"),
    decoyInRow: fc.constantFrom<object>(
      {},
      { labels: { voice: "female" } },
      { clone_of: { voice: "svc-old-voice-20240101000000000-aaaa", target_model: "m-0" } },
      { samples: [{ voice: "loud", url: "https://a.example/1.wav" }] },
    ),
    decoy: fc.constantFrom<object>(
      {},
      {
        presets: [
          { voice: "alloy", target_model: "m-1" },
          { voice: "echo", target_model: "m-1" },
        ],
      },
      { default_voice: { voice: "alloy", target_model: "m-1" } },
      { models: [{ model: "m-1", voice: "alloy" }] },
      { usage: { voice: "minutes", count: 0 } },
      { hints: "voice,gmt_create of the last call" },
    ),
  })
  .map(({ isLax, count, form, name, inner, extra, rowExtra, mark, envelopes, total, decoyInRow, decoy }) => {
    const all = isLax ? names.lax : names.shaped;
    const truth = all.slice(0, count);
    const build = (hasDecoys: boolean, isMarked = true): DrawnList => {
      const rows = truth.map((voice, index) => ({
        ...rowExtra,
        ...(hasDecoys && decoyInRow),
        ...{ voice, target_model: `m-${index % 2}`, gmt_create: "2025-08-12 10:50:09" },
      }));
      const bare = rows.map(({ voice: _, ...row }) => row);
      const container = (): unknown => {
        switch (form) {
          case "array":
            return rows;
          case "map":
            return Object.fromEntries(rows.map((row) => [row.voice, row]));
          case "keyed":
            return Object.fromEntries(bare.map((row, index) => [truth[index], row]));
          case "numbered":
            return Object.fromEntries(rows.map((row, index) => [String(index), row]));
          case "wrapped":
            return rows.map((row) => ({ [inner]: row, note: null }));
          case "in an array":
            return rows.map((row) => [row]);
          case "by model":
            return Object.fromEntries(
              [...new Set(rows.map((row) => row.target_model))].map((model) => [
                model,
                rows.filter((row) => row.target_model === model),
              ]),
            );
          case "groups":
            return [...new Set(rows.map((row) => row.target_model))].map((model) => ({
              model,
              [inner]: rows.filter((row) => row.target_model === model),
            }));
          case "text":
            return JSON.stringify(rows);
        }
      };
      const counted = total === "none" ? {} : { [total]: count };
      const core = { ...extra, [name]: container(), ...counted };
      return {
        json: nested(core, envelopes, { request_id: "r-1", count: 0, ...(isMarked && mark), ...(hasDecoys && decoy) }),
        truth,
        isLax,
      };
    };
    // A mark of success beside a failure would be a contradiction.
    return { plain: build(false), unmarked: build(false, false), withDecoys: build(true), form, name };
  });

const request = { action: "list", page_index: 0, page_size: 1000, model: "svc-voice-enrollment" };

function readList({ json, truth }: DrawnList, forms?: Forms): "right" | "not understood" {
  const body = parseBody(JSON.stringify(json)).json;
  let page: ReturnType<typeof readVoiceList>;
  try {
    page = readVoiceList(body, { request, forms });
  } catch {
    return "not understood";
  }
  const found = page.rows.map(({ voice }) => voice);
  const isCertain =
    page.doubt === undefined && (page.total ?? 0) <= found.length && saysMore(page.fields) === undefined;
  const strange = found.filter((voice) => !truth.includes(voice));
  const missing = truth.filter((voice) => !found.includes(voice));
  if (strange.length > 0) throw new Error(`read ${strange.join()} as voices of the account`);
  if (isCertain && missing.length > 0) throw new Error(`certain that ${missing.join()} do not exist`);
  return isCertain ? "right" : "not understood";
}

describe("a list is read right, or not understood", () => {
  test("without decoys, and at most two of a hundred with voices are not understood", () => {
    const tally = draw(
      listForm.filter(({ plain }) => plain.truth.length > 0),
      ({ plain }) => {
        const judged = readList(plain);
        // What the doctor prints makes the list readable.
        if (judged === "not understood") expect(readList(plain, suggestForms(plain.json))).toBe("right");
        return judged;
      },
    );
    report("lists without decoys", tally);
    expect(tally.share).toBeLessThanOrEqual(0.02);
  });

  test("with decoys: other objects that have a `voice`", () => {
    report(
      "lists with decoys",
      draw(listForm, ({ withDecoys }) => readList(withDecoys)),
    );
  });

  test("with a failure in an envelope, and all or some of the voices left out", () => {
    const failing = fc
      .record({
        list: listForm,
        failure: failureEnvelope,
        keeps: fc.integer({ min: 0, max: 2 }),
        inside: fc.boolean(),
        empty: fc.constantFrom<unknown>([], {}, null, undefined, ""),
      })
      .filter(({ list }) => list.plain.truth.length > 0)
      .map(({ list, failure, keeps, inside, empty }) => {
        const { unmarked: plain, name } = list;
        const replace = (value: unknown): unknown => {
          if (typeof value !== "object" || value === null) return value;
          return Object.fromEntries(
            Object.entries(value).flatMap(([key, each]: [string, unknown]) => {
              if (key !== name) return [[key, key === "total" || key === "total_count" ? 0 : replace(each)]];
              const kept = Array.isArray(each) && keeps > 0 ? each.slice(0, Math.min(keeps, each.length - 1)) : empty;
              return kept === undefined ? [] : [[key, Array.isArray(kept) && kept.length === 0 ? [] : kept]];
            }),
          );
        };
        const cut = replace(plain.json) as Record<string, unknown>;
        const [envelope] =
          Object.entries(cut).find(([, each]) => typeof each === "object" && each !== null && !Array.isArray(each)) ??
          [];
        const json =
          inside && envelope !== undefined
            ? { ...cut, [envelope]: { ...(cut[envelope] as object), ...failure } }
            : { ...cut, ...failure };
        return { ...plain, json };
      });
    draw(failing, readList);
  });
});

describe("a deletion", () => {
  const body = fc.record({
    mark: successMark,
    failure: fc.oneof(fc.constant({}), failureEnvelope),
    extra: extras,
    envelopes: fc.array(envelopeName, { maxLength: 2 }),
  });
  test("is certain only if nothing in the response may mean a failure", () => {
    draw(body, ({ mark, failure, extra, envelopes }) => {
      const json = nested({ ...extra }, envelopes, { request_id: "r", count: 0, ...mark, ...failure });
      const isDone = saysDeleted(200, parseBody(JSON.stringify(json)).json, JSON.stringify(json), "v");
      if (isDone && Object.keys(failure).length > 0) throw new Error("certain in spite of the failure");
      return isDone ? "right" : "not understood";
    });
  });
});

describe("a submission", () => {
  test("that was done is not taken for a refusal, whatever stands beside its id", () => {
    const done = fc.record({
      id: fc.constantFrom<unknown>("t-1", 17, "7418048504813240371"),
      field: fc.constantFrom("task_id", "id", "taskId", "job"),
      mark: fc.oneof(
        successMark,
        fc.constantFrom<object>(
          { code: 1, description: "queued" },
          { code: 22, title: "t_1" },
          { result: "1320098173412546" },
        ),
      ),
      envelopes: fc.array(envelopeName, { maxLength: 1 }),
      extra: extras,
    });
    draw(done, ({ id, field, mark, envelopes, extra }) => {
      const { json } = parseBody(
        JSON.stringify(nested({ [field]: id, ...extra }, envelopes, { request_id: "r", ...mark })),
      );
      try {
        const { taskId } = readSubmittedTask(json, placesOf(json));
        if (taskId !== String(id)) throw new Error(`read ${taskId} as the id`);
        return "right";
      } catch (error) {
        if (error instanceof Error && /as the id/.test(error.message)) throw error;
        if (isRefusal(json)) throw new Error("taken for a refusal", { cause: error });
        return "not understood";
      }
    });
  });
});

describe("a looked-up task", () => {
  const drawn = fc.record({
    status: fc.constantFrom("PENDING", "RUNNING", "SUCCEEDED", "FAILED", "UNKNOWN"),
    hasId: fc.boolean(),
    envelopes: fc.array(envelopeName, { maxLength: 2 }),
    extra: extras,
    decoy: fc.constantFrom<object>(
      {},
      { status: "SUCCEEDED" },
      { state: "failed" },
      { steps: [{ task_status: "SUCCEEDED" }, { task_status: "FAILED" }] },
      { parent: { task_id: "other", task_status: "FAILED" } },
      { previous: { task_id: "t-0", task_status: "SUCCEEDED" } },
      { last: { task_status: "SUCCEEDED" } },
      { retry_of: { task: { task_status: "FAILED" } } },
      { tasks: [{ task_id: "t-0", task_status: "FAILED" }] },
    ),
  });
  test("has the state of its own task_status, or none", () => {
    draw(drawn, ({ status, hasId, envelopes, extra, decoy }) => {
      const core = { ...extra, ...(hasId && { task_id: "t-1" }), task_status: status };
      const { json } = parseBody(JSON.stringify(nested(core, envelopes, { request_id: "r", ...decoy })));
      let found: string | undefined;
      try {
        found = taskStatusIn(json, "t-1");
      } catch {
        return "not understood";
      }
      if (found !== undefined && found !== status) throw new Error(`read ${found}, and it is ${status}`);
      return found === undefined ? "not understood" : "right";
    });
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
    form: fc.constantFrom("rows", "texts", "one", "numbered", "deep", "text", "base64", "data"),
    name: fc.oneof(fc.constantFrom("results", "images", "urls", "result", "output_images"), word),
    field: fc.oneof(fc.constantFrom("url", "image", "image_url", "href"), word),
    envelopes: fc.array(envelopeName, { maxLength: 2 }),
    extra: extras,
    decoy: fc.constantFrom<object>(
      { source_url: "https://me.example/source.png" },
      { thumbnail: "https://img.example/thumb.png" },
      { urls: { get: lookUp, cancel: `${lookUp}/cancel` } },
      { avatar: { url: "https://me.example/a.png" } },
      { docs: "https://docs.example/help" },
      { input: { images: ["https://me.example/in.png"] } },
      { prompt: "https://me.example/in-the-prompt.png" },
      { key: "store/of/another.png" },
      { text: "![it](https://img.example/in-markdown.png)" },
      { image_256: "https://img.example/s.png", image_1024: "https://img.example/l.png" },
    ),
    inRow: fc.boolean(),
  });
  const taskOf = (each: Parameters<Parameters<typeof form.map>[0]>[0], hasDecoy: boolean) => {
    const { count, name, field, envelopes, extra, decoy, inRow } = each;
    const urls = each.form === "one" ? right.slice(0, 1) : right.slice(0, count);
    const beside = hasDecoy && inRow ? decoy : {};
    const shapes: Record<typeof each.form, object> = {
      rows: { [name]: urls.map((url) => ({ ...beside, [field]: url })) },
      texts: { [name]: urls },
      one: { [name]: { ...beside, [field]: urls[0] } },
      numbered: Object.fromEntries(urls.map((url, index) => [`image_${index + 1}`, url])),
      deep: { [name]: urls.map((url) => ({ message: { content: [{ ...beside, [field]: url }] } })) },
      text: { [name]: urls.join(", ") },
      base64: { [name]: urls.map(() => ({ [field]: base64 })) },
      data: { [name]: urls.map(() => `data:image/png;base64,${base64}`) },
    };
    const wanted = /base64|data/.test(each.form) ? urls.map(() => base64) : urls;
    const core = { ...extra, ...shapes[each.form], ...(hasDecoy && !inRow && decoy), task_status: "SUCCEEDED" };
    return { json: nested(core, envelopes, { request_id: "r" }), wanted };
  };
  const judge = ({ json, wanted }: ReturnType<typeof taskOf>) => {
    const found = findPictures(parseBody(JSON.stringify(json)).json, lookUp).flatMap((image) =>
      "url" in image ? [image.url] : "content" in image ? [image.content] : [],
    );
    if (found.length === 0) return "not understood";
    expect(found).toEqual(wanted);
    return "right";
  };

  test("are found in any form", () => {
    const tally = draw(form, (each) => judge(taskOf(each, false)));
    report("pictures without decoys", tally);
    expect(tally.share).toBeLessThanOrEqual(0.02);
  });

  test("are the right ones, or not recognised, beside other addresses", () => {
    report(
      "pictures with decoys",
      draw(form, (each) => judge(taskOf(each, true))),
    );
  });
});

test("the names of cloned voices are told from others by the shape of the contract", () => {
  for (const name of names.shaped) expect(hasClonedShape(name)).toBe(true);
  for (const name of names.lax) expect(hasClonedShape(name)).toBe(false);
});
