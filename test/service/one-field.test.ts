import { CloudVoiceError } from "../../provider/src/errors";
import type { ListPage } from "../../provider/src/service/voices/client";
import { isUnread } from "../../provider/src/service/billed-requests";
import { respondingWith } from "../support/any-form";
import { calls } from "./calls";

/** What one field more changes in a response that is understood without it. `test/corpus` has whole responses. */

const row = {
  voice: "svc-tts-vc-other_zzz9999-voice-20260101130000000-9f9f",
  target_model: "m-1",
  gmt_create: "2026-01-01 10:00:00",
};
const common = { request_id: "r", count: 0 };

type Service = ReturnType<typeof respondingWith>;

/** The error that a reading may end with, which proves nothing. */
function refusal(error: unknown): { voices: []; doubt: string } {
  if (CloudVoiceError.is(error)) return { voices: [], doubt: error.message };
  throw error;
}

/** The first page of the account's list, and whether it proves that there are no other voices. */
async function firstPage(service: Service) {
  const { voices, ...page } = await service.voices.listPage(0, 10).catch(refusal);
  const { doubt, more, total = 0 } = page as Partial<ListPage>;
  return { voices, isCertain: doubt === undefined && more === undefined && total <= voices.length };
}

const readings: Record<string, (beside: object) => Promise<boolean>> = {
  "that an account is empty": async (beside) =>
    (await firstPage(respondingWith({ ...common, voices: [], ...beside }))).isCertain,
  "that a voice was deleted": async (beside) =>
    (await respondingWith({ ...common, ...beside })
      .voices.remove(row.voice)
      .catch(refusal)) === undefined,
};

describe.each(Object.entries(readings))("it is certain %s", (_, isCertain) => {
  test.each<object>([
    {},
    { success: true },
    { errors: [] },
    { code: 0, message: "删除成功" },
    { has_more: false, next_page_token: null },
  ])("beside %j", async (beside) => expect(await isCertain(beside)).toBe(true));

  test.each<object>([
    // A failure.
    { error: true },
    { errors: ["lock not acquired"] },
    { success: false },
    { statusCode: "503" },
    { base_resp: { status_code: 2013, status_msg: "invalid params" } },
    { error_code: 8008, success: 1, message: "store is read-only" },
    { status: "REJECTED" },
    // A failure in another alphabet.
    { code: "错误" },
    { status: "失败", message: "权限不足" },
    { message: "删除失败 (200)" },
    // No mark of success.
    { success: null },
    { state: "null" },
    { status: "accepted" },
    { status: "DELETING" },
    { deleted: false },
    { deleted: [] },
    // A part.
    { has_more: true },
    { degraded: true },
    { warnings: ["replica eu-2 not reachable, its items are not listed"] },
  ])("and is not beside %j", async (beside) => expect(await isCertain(beside)).toBe(false));
});

test.each<object>([
  { server_time: 1771404540 },
  { quota: { total: 1000, used: 0 } },
  { totalPages: 0, totalElements: 0, last: true, first: true, empty: true, numberOfElements: 0, size: 10, number: 0 },
])("beside %j an empty list is certain, and a delete is not: the list then decides", async (beside) => {
  expect(await readings["that an account is empty"]?.(beside)).toBe(true);
  expect(await readings["that a voice was deleted"]?.(beside)).toBe(false);
});

test.each<[what: string, response: object]>([
  ["under another name", { voice_set: [] }],
  ["in two envelopes", { a: { b: { voices: [] } } }],
  ["as the whole response", []],
  ["beside another array of objects", { voices: [], shared: [{ id: "a" }] }],
  ["beside a second list", { voices: [], output: { voice_list: [] } }],
  ["left out", {}],
  ["as a text", { voices: "none" }],
])("a list without voices %s is an error, and not an empty account", async (_, response) => {
  const json = Array.isArray(response) ? response : { ...common, ...response };
  await expect(respondingWith(json).voices.listPage(0, 10)).rejects.toMatchObject({ name: "UnexpectedAnswerError" });
});

test.each<object>([
  { failed_regions: ["eu"] },
  { "@odata.nextLink": "https://service.example/next" },
  { NextMarker: "abc" },
  { partial_results: true },
  { total_count: 7 },
])("the voices of a list are read, which is a part because of %j", async (more) => {
  const page = await firstPage(respondingWith({ ...common, voices: [row], ...more }));
  expect(page).toMatchObject({ voices: [{ voice: row.voice }], isCertain: false });
});

test.each<object>([
  { status: "archived" },
  { is_deleted: true },
  { deleted_at: "2026-03-02 10:00:00" },
  { enabled: 0 },
  { Status: 3 },
  { error: "sample rate low", code: "Audio.AudioRateError", message: "low" },
])("what a row says of its voice, %j, is nothing about the list", async (of) => {
  for (const voices of [[{ ...row, ...of }], { [row.voice]: { ...row, ...of } }])
    expect(await firstPage(respondingWith({ ...common, voices }))).toMatchObject({
      voices: [{ voice: row.voice }],
      isCertain: true,
    });
});

const named = (voice: string) => ({ ...row, voice });

type BilledCall = [what: string, result: object, another: object, call: (service: Service) => Promise<unknown>];
const answering = (noul: number) => ({ answers: { q: { type: "noul", noul } } });
const billedCalls: BilledCall[] = [
  ["create", named("svc-a-voice-1"), named("svc-a-voice-2"), calls.create],
  ["submission", { task_id: "t-9" }, { task_id: "t-8" }, calls.submit],
  ["decision", answering(0.3), answering(0.7), calls.decide],
];

test("two different states of a task show none", async () => {
  const json = { task_status: "RUNNING", output: { task_status: "FAILED" }, request_id: "r" };
  await expect(calls.poll(respondingWith(json))).rejects.toThrow(
    /one task_status, but there are task_status and output/,
  );
});

describe.each(billedCalls)("a %s with the status 200", (_, result, another, call) => {
  const answered = (json: unknown, forms?: object) =>
    call(respondingWith(json, {}, forms && { forms: JSON.stringify(forms) })).catch((error: unknown) => error);

  test.each<[reason: string, json: object, forms: object | undefined]>([
    ["not so", { code: "InvalidParameter", message: "not so" }, undefined],
    ["not so", { output: { code: "InvalidParameter", message: "not so" } }, undefined],
    ["not so", { error: { code: "InvalidParameter", message: "not so" } }, undefined],
    ["no balance", { base_resp: { status_code: "Arrearage", status_msg: "no balance" } }, undefined],
    ["余额不足", { base_resp: { status_code: 1008, status_msg: "余额不足" } }, { error: "base_resp.status_code=0" }],
    ["check failed", { code: 1105, message: "check failed", data: null }, { error: "code=10000" }],
    ["too loud", { Response: { Error: { Code: "Noise", Message: "too loud" } } }, { error: "Response.Error" }],
    ["shorter than 10 s", { success: false, msg: "audio shorter than 10 s" }, { error: "success=true" }],
  ])('is refused because of "%s", and nothing was billed: %j, forms: %j', async (reason, json, forms) => {
    const error = await answered(json, forms);
    expect(error).toMatchObject({ billed: "no", message: expect.stringContaining(reason) as unknown });
  });

  test.each<[unknown]>([
    [{ request_id: "r", count: 1 }],
    [{ code: 200, message: "OK" }],
    [{ request_id: "r", job_id: "clone-19", status: "queued" }],
    [{ code: "QUEUED", request_id: "r" }],
    [{ code: 1, description: "submitted", result: "1711217942120945" }],
    [{ code: 0, message: "success", data: { voice: null, task_id: null, answers: null }, request_id: "r" }],
    // Codes that are not in the table.
    [{ base_resp: { status_code: 1008, status_msg: "insufficient balance" } }],
    [{ code: 50411, data: null, message: "Pre Img Risk Not Pass", request_id: "r", status: 50411 }],
    [{ success: false, message: "no balance", task_id: 0, voice: "" }],
    [{ Response: { Error: { Code: "FailedOperation.Noise", Message: "too loud" }, RequestId: "r" } }],
    [[]],
    ["done"],
    [""],
    ["<html><head><title>Maintenance</title></head></html>"],
    [JSON.stringify(result).slice(0, -2)],
    [`{"request_id":"r","request_id":"s",${JSON.stringify(result).slice(1)}`],
  ])("may have been billed if its result is not understood: %j", async (json) => {
    expect(isUnread(await answered(json))).toBe(true);
  });

  test("may have been billed if another result stands beside its own", async () => {
    for (const json of [
      { ...result, output: another },
      { output: result, data: another },
    ])
      expect(isUnread(await answered({ request_id: "r", ...json }))).toBe(true);
  });

  test.each<object>([
    { code: "AlreadyExists", message: "see there" },
    { error: { code: "TooMany", message: "wait" } },
    { base_resp: { status_code: 2038, status_msg: "no permission" } },
    { success: false },
    { code: 10000, message: "Success" },
  ])(
    "may have been billed if a failure, or a code that is not known, stands beside its result: %j",
    async (failure) => {
      for (const json of [
        { ...result, ...failure },
        { output: result, ...failure },
      ])
        expect(isUnread(await answered({ request_id: "r", ...json }))).toBe(true);
    },
  );

  test.each<[mark: object, forms: object | undefined]>([
    [{ success: true }, undefined],
    [{ code: "200", message: "created" }, undefined],
    [{ error: null, logs: "" }, undefined],
    [{ code: 10000, message: "Success", status: 10000 }, { error: "code=10000" }],
    [{ status_code: 20000, status_message: "Ok." }, { error: "status_code=20000" }],
  ])("is done beside %j, forms: %j", async (mark, forms) => {
    for (const json of [
      { ...result, ...mark },
      { data: result, ...mark },
    ])
      expect(await answered({ request_id: "r", ...json }, forms)).toMatchObject({ requestId: "r" });
  });
});
