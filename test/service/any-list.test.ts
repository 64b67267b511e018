import fc from "fast-check";
import { check, container, extras, fieldName, nested, respondingWith, rows } from "../support/any-form";

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
    const service = respondingWith({ items: rows, total: 3, request_id: "r", count: 0 });
    await service.voices.listPage(0, 1000);
    service.respond({ output: { total_count: 7 }, usage: { count: 0 }, request_id: "r" });
    await expect(service.voices.listPage(1, 1000)).rejects.toThrow(/expected 7 voices, as it counts them/);
  });

  test("in two places is an error that names both", async () => {
    const json = { active: rows, archived: [{ voice: "v", target_model: "m" }], request_id: "r" };
    await expect(respondingWith(json).voices.listPage(0, 10)).rejects.toThrow(
      /expected one list of voices, and there are active and archived/,
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

test("a page of 100,000 voices is read once, and once more to see whether there are others", async () => {
  const many = Array.from({ length: 100_000 }, (_, index) => ({ voice: `svc-v${index}-voice-1`, target_model: "m" }));
  const { account, sent } = respondingWith({ data: { many, total: many.length }, request_id: "r" });
  expect(await account.voices()).toHaveLength(100_000);
  // The service ignores the page: the same rows come again, so each is read once more.
  expect(sent.length).toBeLessThan(6);
});
