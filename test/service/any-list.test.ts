import fc from "fast-check";
import { Account } from "../../provider/src/service/voices/account";
import { findRows } from "../../provider/src/service/structure/rows";
import { check, container, extras, fieldName, nested, respondingWith, rows } from "../support/any-form";

/** The account of a service that answers with one of these for each page, and with the last one beyond them. */
function respondingWithPages(pages: object[]) {
  const service = respondingWith({});
  const listPage: typeof service.voices.listPage = (index, size) => {
    service.respond(pages[Math.min(index, pages.length - 1)]);
    return service.voices.listPage(index, size);
  };
  return new Account({ listPage });
}

describe("a list", () => {
  const someRows = fc.subarray(rows, { minLength: 1 });
  const form = fc.record({ rows: someRows, name: container, extra: extras }).chain(({ rows: given, name, extra }) => {
    const full = given.map((row) => ({ ...extra, ...row }));
    const lists: object[] = [
      { [name]: full },
      { [name]: Object.fromEntries(full.map((row) => [row.voice, row])) },
      { [name]: Object.fromEntries(full.map(({ voice, ...row }) => [voice, row])) },
      { [name]: Object.fromEntries(full.map((row, index) => [String(index), row])) },
      { [name]: full.map((row) => [row]) },
      {
        [name]: Object.fromEntries(
          full.map(({ target_model: model }) => [model, full.filter((row) => row.target_model === model)]),
        ),
      },
      { [name]: full.map((row) => ({ model: row.target_model, [`of_${name}`]: [row] })) },
      { [name]: full, total_count: full.length, page_index: 0, errors: [] },
    ];
    return fc.tuple(fc.constant(given), nested(fc.constantFrom(...lists), { request_id: "r-1", count: 0 }));
  });

  test("is read in any form", () =>
    check(form, async ([given, json]) => {
      const { voices } = await respondingWith(json).voices.listPage(0, 1000);
      expect(voices.map(({ voice }) => voice).sort()).toEqual(given.map(({ voice }) => voice).sort());
      for (const { voice, targetModel } of voices)
        expect(targetModel).toBe(rows.find((row) => row.voice === voice)?.target_model);
    }));

  test("that is the array in an envelope, or the whole response, is read", async () => {
    for (const json of [{ output: rows, request_id: "r", count: 0 }, rows, { data: { result: rows }, request_id: "r" }])
      expect((await respondingWith(json).voices.listPage(0, 10)).voices).toHaveLength(3);
  });

  test("that is explicitly empty, in an envelope, is proved to be empty", () =>
    check(
      fc.record({ name: container, envelope: fieldName, empty: fc.constantFrom<unknown>([], {}), extra: extras }),
      async ({ name, envelope, empty, extra }) => {
        const json = { [envelope]: { ...extra, [name]: empty }, request_id: "r", count: 0 };
        const { account } = respondingWith(json);
        expect(await account.find("v")).toBeUndefined();
      },
    ));

  test("ends where a later page is empty, or has no value, at the place of the earlier voices", async () => {
    for (const end of [null, [], {}]) {
      const pages = [
        { items: rows, tags: ["a"] },
        { items: end, tags: ["a"], sizes: [{ a: 1 }], code: 0, msg: "ok" },
      ];
      const service = respondingWith(pages[0]);
      await service.voices.listPage(0, 3);
      service.respond(pages[1]);
      expect((await service.voices.listPage(1, 3)).voices).toEqual([]);
    }
  });

  test("does not end with a page that only counts voices, and such a page proves no total", async () => {
    const first = { items: rows, total: 3, request_id: "r", count: 0 };
    const second = { output: { total_count: 7 }, usage: { count: 0 }, request_id: "r" };
    await expect(respondingWithPages([first, second]).voices()).rejects.toThrow(
      /names no voices, and 7 should exist: it has output\{total_count\}/,
    );
  });

  test("ends where a page leaves out its container, if its total is that of the page before", async () => {
    const common = { request_id: "r", count: 0 };
    for (const total of [3, 1])
      expect(
        await respondingWithPages([
          { items: rows, total, ...common },
          { total, ...common },
        ]).voices(),
      ).toHaveLength(3);
    const larger = [
      { items: rows, total: 4, ...common },
      { total: 4, ...common },
    ];
    await expect(respondingWithPages(larger).voices()).rejects.toThrow(/names no voices, and 4 should exist/);
  });

  test("without a container has no voices if it counts none", async () => {
    for (const json of [
      { output: { total: 0 }, request_id: "r", usage: { count: 0 } },
      { request_id: "r", count: 0, total_count: "0", page_index: 0 },
    ])
      expect(await respondingWith(json).account.find("v-1")).toBeUndefined();
    for (const json of [
      { request_id: "r", count: 0, total: 0, message: "temporarily unavailable" },
      { request_id: "r", usage: { count: 0, total: 0 } },
    ])
      await expect(respondingWith(json).account.find("v-1")).rejects.toMatchObject({ name: "UnexpectedAnswerError" });
  });

  test("has its voices in a map, also where a page has one of them only", async () => {
    const entry = ({ voice, ...row }: (typeof rows)[number]) => [
      voice,
      { labels: [], info: { core: { voice, ...row } } },
    ];
    const page = (some: typeof rows) => ({
      data: { map: Object.fromEntries(some.map(entry)) as object },
      request_id: "r",
    });
    const pages = [page(rows.slice(0, 2)), page(rows.slice(2)), { data: { map: null }, request_id: "r" }];
    expect(await respondingWithPages(pages).voices()).toHaveLength(3);
  });

  test("that is grouped ends where its groups are empty", async () => {
    const group = (model: string, some: object[]) => ({ model, rows: some });
    const pages = [rows.slice(0, 2), rows.slice(2), []].map((some) => ({
      voices: [group("m-2", some), group("m-9", [])],
      request_id: "r",
    }));
    expect(await respondingWithPages(pages).voices()).toHaveLength(3);
  });

  test.each<[string, object]>([
    ["the same voice twice", { active: rows, archived: rows.slice(0, 1) }],
    ["a voice without its model", { active: rows, archived: [{ voice: "v" }] }],
    ["no common parent", { active: rows, page: { archived: [{ voice: "v", target_model: "m" }] } }],
  ])("in two places with %s is an error that names both", async (_, json) => {
    await expect(respondingWith({ ...json, request_id: "r" }).voices.listPage(0, 10)).rejects.toThrow(
      /expected one list of voices, and there are active and (page\.)?archived/,
    );
  });

  test.each([
    { request_id: "r", count: 0 },
    { output: {}, usage: { count: 0 }, request_id: "r" },
    { data: null, request_id: "r", count: 0 },
    { items: [], request_id: "r", count: 0, message: "none found" },
  ])("without a recognised place is no empty account once anything says that there are voices: %j", async (json) => {
    expect(await respondingWith(json).account.voices()).toEqual([]);
    const inState = respondingWith(json).account;
    await expect(inState.find("v-1")).rejects.toThrow(
      /names no voices, and the voice v-1 should exist: it has .*request_id/,
    );
    const { account } = respondingWith(json);
    await account.voices();
    account.add({ voice: "v-2", targetModel: "m" });
    await expect(account.voicesNow()).rejects.toMatchObject({ name: "UnexpectedAnswerError" });
    // What this operation deletes needs no list.
    account.remove("v-2");
    expect(await account.voicesNow()).toEqual([]);
    // A person knows that the account is empty.
    const accepting = respondingWith(json, {}, { acceptMissing: "all" }).account;
    expect(await accepting.find("v-1")).toBeUndefined();
  });
});

/** Names that promise something other than voices. The contract leaves the name of the container open. */
const otherNames = [
  ...["error", "errors", "warning", "warnings", "message", "messages", "detail", "details", "usage", "meta", "debug"],
  ...["metadata", "header", "headers", "link", "links", "tags", "extra", "Details"],
];

describe.each(["ListVoicesResponse", "voices", "VoiceList", "voice"])("a response whose only field is %s", (name) => {
  const meta = { request_id: "0005", count: 0 };
  test.each<object>([
    { ListVoicesResult: { Voices: "" }, ResponseMetadata: meta },
    { Voices: [], ...meta },
    { Result: { Voices: [] }, ...meta },
    { Result: { items: [] }, Meta: meta, status: "OK" },
  ])("is the list of an empty account, and a page behind the last one: %j", async (empty) => {
    expect(await respondingWith({ [name]: empty }).account.voices()).toEqual([]);
    const full = { [name]: { Result: { items: rows }, ...meta } };
    expect(await respondingWithPages([full, { [name]: empty }]).voices()).toHaveLength(3);
  });

  test.each<object>([
    { voices: { "v-1": "m-2" }, ...meta },
    { items: [{ voice: "v-1" }], ...meta },
    { Result: { VoiceNames: ["v-1"] }, Meta: meta },
  ])("is no empty account if something in it may be a voice: %j", async (json) => {
    await expect(respondingWith({ [name]: json }).account.voices()).rejects.toThrow(/unexpected form/);
  });
});

describe.each(otherNames)("a list whose container or envelope is named %s", (name) => {
  const common = { request_id: "r", count: 0 };
  const byVoice = Object.fromEntries(rows.map(({ voice, ...row }) => [voice, row]));
  test.each<[string, object]>([
    ["an array", { ...common, [name]: rows }],
    ["an array in an envelope", { ...common, output: { [name]: rows, labels: [] } }],
    ["an array inside", { request_id: "r", [name]: { count: 0, items: rows } }],
    ["a map", { ...common, [name]: byVoice }],
    ["an array beside an empty one", { ...common, voice_list: [], [name]: rows }],
  ])("is read: %s", async (_, json) => {
    expect((await respondingWith(json).account.voices()).map(({ voice }) => voice)).toEqual(
      rows.map(({ voice }) => voice),
    );
  });

  test.each<[string, object]>([
    ["incomplete rows", { ...common, [name]: [{ voice: "v-1" }] }],
    ["a row without its model", { ...common, [name]: { voice: "v-1", gmt_create: "2026-01-01" } }],
    ["rows that stand too deep", { ...common, [name]: rows.map((row) => ({ a: { b: { c: row } } })) }],
    ["a text", { ...common, output: { [name]: { text: "voice,gmt_create\nv-1,2026-01-01" } } }],
    ["columns", { ...common, [name]: { columns: ["voice"], rows: [["v-1"]] } }],
  ])("is no empty account if it has %s", async (_, json) => {
    await expect(respondingWith(json).account.voices()).rejects.toThrow(/it has .*request_id/);
  });

  test("holds no voice if it only has a field `voice`", async () => {
    const { account } = respondingWith({ ...common, [name]: { voice: "free" }, items: [] });
    expect(await account.find("v-1")).toBeUndefined();
    expect(await respondingWith({ ...common, [name]: { voice: "free" }, items: rows }).account.voices()).toHaveLength(
      3,
    );
  });
});

describe("listed voices that are not understood", () => {
  const common = { request_id: "r", count: 0 };
  test.each<object>([
    { ...common, columns: ["voice", "gmt_create", "target_model"], rows: [["v-1", "2026-01-01", "m"]] },
    { ...common, columns: ["voice", "gmt_create"], data: ["v-1|2026-01-01"] },
    { ...common, output: "voice,gmt_create\nv-1,2026-01-01", items: [] },
    { ...common, output: '{"voice":"v-1","gmt_create":"x"}\n{"voice":"v-2","gmt_create":"y"}' },
    { ...common, Items: [{ Voice: "v-1", TargetModel: "m" }] },
    { ...common, a: { b: { c: { d: { e: { f: { g: rows } } } } } } },
  ])("are no empty account: %j", async (json) => {
    await expect(respondingWith(json).account.voices()).rejects.toThrow(/expected the listed voices/);
  });

  test("are read from a JSON text, which also shows where the list ends", async () => {
    const page = (some: object[]) => ({ ...common, output: JSON.stringify({ items: some }) });
    expect(await respondingWithPages([page(rows), page([])]).voices()).toHaveLength(3);
    expect(await respondingWith(page([])).account.find("v-1")).toBeUndefined();
    expect(await respondingWith(JSON.stringify(JSON.stringify(page(rows)))).account.voices()).toHaveLength(3);
  });

  test("are read in an envelope that is an array", async () => {
    const json = { ...common, data: [{ total: 3, map: Object.fromEntries(rows.map((row) => [row.voice, row])) }] };
    expect(await respondingWith(json).account.voices()).toHaveLength(3);
  });
});

describe("a list in groups", () => {
  const common = { request_id: "r", count: 0 };
  const [one, two] = [rows.slice(0, 1), rows.slice(1)];
  test.each<[string, (a: object[], b: object[]) => object]>([
    ["by model, in objects", (a, b) => ({ models: { "m-1": { voices: a }, "m-2": { voices: b, more: false } } })],
    ["by state", (a, b) => ({ output: { active: a, idle: b, page: 1 } })],
    ["by state, without an envelope", (a, b) => ({ active: a, idle: b })],
    ["by month", (a, b) => ({ data: { list: { "2026-01": a, "2026-02": b } } })],
  ])("is read: %s", async (_, put) => {
    const page = (a: object[], b: object[]) => ({ ...common, ...put(a, b) });
    expect(await respondingWithPages([page(one, two), page([], [])]).voices()).toHaveLength(3);
    expect(await respondingWithPages([page(one, []), page([], two), page([], [])]).voices()).toHaveLength(3);
    const listed = respondingWithPages([page(one, two), page([], [])]);
    expect(await listed.find("v-none")).toBeUndefined();
    expect(await respondingWith(page([], [])).account.find("v-1")).toBeUndefined();
  });

  test("has each group once, also if one voice is repeated beside it", async () => {
    for (const newest of [rows[0], rows[2]])
      expect(await respondingWith({ ...common, items: rows, newest }).account.voices()).toHaveLength(3);
    expect(await respondingWith({ ...common, newest: rows[0], active: one, idle: two }).account.voices()).toHaveLength(
      3,
    );
    // On a later page the repeated voice is one of an earlier page.
    const pages = [one, two, []].map((items) => ({ ...common, items, newest: rows[0] }));
    expect(await respondingWithPages(pages).voices()).toHaveLength(3);
  });

  test("that are empty show an empty page, and not what is hidden beside them", () => {
    const known = ["models"];
    const page = (group: object) => ({ ...common, models: { a: { voices: [] }, b: group } });
    expect(findRows(page({ voices: [] }), known)).toMatchObject({ rows: [], isProven: true });
    expect(() => findRows(page({ voices: [], last: { voice: "v" } }), known)).toThrow(/the listed voices/);
  });
});

describe("an empty list beside a warning", () => {
  const common = { request_id: "r", count: 0 };
  const warning = { code: "Deprecated.PageIndex", message: "page_index is deprecated" };
  test.each<object>([
    { ...common, voice_list: [], warning },
    { ...common, items: [], warnings: [warning] },
    { request_id: "r", output: { items: [], warning }, usage: { count: 0 } },
    { ...common, items: [], warning: "Deprecated.PageIndex: page_index is deprecated" },
  ])("is no refusal: %j", async (json) => {
    expect(await respondingWith(json).account.find("v-1")).toBeUndefined();
  });

  test("may have a code that says that there is nothing, which proves nothing", async () => {
    for (const code of ["No.Data", "NO_VOICES", "Empty.List"]) {
      expect(await respondingWith({ ...common, code, items: [] }).account.voices()).toEqual([]);
      const expecting = respondingWith({ ...common, code, message: "no data", items: [] }).account;
      await expect(expecting.find("v-1")).rejects.toThrow(/the voice v-1 should exist/);
    }
  });

  test("is one with any other code, or without the list", async () => {
    for (const json of [
      { ...common, code: "Internal.Error", items: [] },
      { ...common, code: "No.Data" },
      { ...common, code: "Internal.Error", items: [], warning },
    ])
      await expect(respondingWith(json).account.voices()).rejects.toMatchObject({ name: "ServiceError" });
  });
});

test("a page of 100,000 voices is read once, and once more to see whether there are others", async () => {
  const many = Array.from({ length: 100_000 }, (_, index) => ({ voice: `svc-v${index}-voice-1`, target_model: "m" }));
  const { account, sent } = respondingWith({ data: { many, total: many.length }, request_id: "r" });
  expect(await account.voices()).toHaveLength(100_000);
  // The service ignores the page: the same rows come again, so each is read once more.
  expect(sent.length).toBeLessThan(6);
});
