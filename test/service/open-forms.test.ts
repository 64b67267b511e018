import { readSettings } from "../../provider/src/rules/settings";
import { isRefusal } from "../../provider/src/service/classify-refusal";
import { connect } from "../../provider/src/service/connect";
import type { HttpResponse } from "../../provider/src/service/http";
import { waitForTask } from "../../provider/src/service/images/wait";
import { errorFields } from "../../provider/src/service/structure/error-fields";
import { findImages } from "../../provider/src/service/structure/images";
import { findRows } from "../../provider/src/service/structure/rows";
import { fakeClock, sending } from "../support/service";

/** Forms that the contract leaves open, as a service that was written without this package drew them. */

/** The service, which gives these responses one after the other, and the last one to all later calls. */
function respondingWith(...responses: (Partial<Omit<HttpResponse, "body">> & { json: unknown })[]) {
  const all: Record<string, string> = { baseUrl: "https://service.example", apiKey: "key-0123456789", maxRetries: "0" };
  const settings = readSettings((name) => (all[name] ? { value: all[name], source: name } : undefined));
  let calls = 0;
  const http = {
    send: () => {
      const { json, ...response } = responses[Math.min(calls++, responses.length - 1)]!;
      const body = typeof json === "string" ? json : JSON.stringify(json);
      return Promise.resolve({ status: 200, headers: {}, ...response, body });
    },
    open: () => Promise.reject(new Error("no downloads here")),
    close: () => Promise.resolve(),
  };
  return connect(settings, { http, clock: fakeClock() });
}

const common = { request_id: "r", count: 0 };
const rows = [
  { voice: "v-1", target_model: "m-1", gmt_create: "2026-01-01" },
  { voice: "v-2", target_model: "m-2", gmt_create: "2026-01-02" },
];

describe("listed voices", () => {
  const nestings: [string, (row: (typeof rows)[number]) => object][] = [
    ["in an object of their own", (row) => ({ id: 1, voice_info: row })],
    ["two levels deep, beside empty arrays", (row) => ({ labels: [], meta: { tags: [] }, info: { core: row } })],
    ["beside an object with the rest", ({ voice, ...rest }) => ({ voice, info: rest, tags: ["a"] })],
  ];
  const lists: [string, (all: object[]) => object][] = [
    ["an array", (all) => ({ data: { items: all } })],
    ["a map", (all) => ({ items: Object.fromEntries(all.map((row, index) => [`v${index}`, row])) })],
    ["arrays of arrays", (all) => ({ items: all.map((row) => [row]) })],
    ["a map by model", (all) => ({ items: { "m-1": all.slice(0, 1), "m-2": all.slice(1) } })],
    ["an array beside others", (all) => ({ items: all, tags: [], models: [{ target_model: "m-1", name: "M" }] })],
  ];
  const cases = lists.flatMap(([list, put]) => nestings.map(([row, nest]) => [list, row, put, nest] as const));
  test.each(cases)("are found in %s, %s", (_list, _row, put, nest) => {
    for (const given of [rows, rows.slice(0, 1)])
      expect(findRows({ ...put(given.map(nest)), ...common }).rows).toEqual(given);
  });

  test("in a place that is not understood are no empty account, whatever else is empty", () => {
    for (const hidden of [{ a: { b: { c: { voice: "v" } } } }, { voice: ["v-1"] }, { voiceNames: ["v-1"] }])
      expect(() => findRows({ rows: [hidden, hidden], tags: [], labels: {}, ...common })).toThrow(/the listed voices/);
  });

  test("are proved to be none by their place on another page, and not by a total of 0 beside an error", () => {
    const known = ["data", "items"];
    expect(findRows({ data: { items: [] }, request_id: "r" }, known).isProven).toBe(true);
    expect(findRows({ total: 0, request_id: "r" }, known).isProven).toBe(false);
    expect(findRows({ total: 0, request_id: "r", Unavailable: "for a moment" }, known).isProven).toBe(false);
  });

  test("are none in an empty list, also one level deeper under their usual name", () => {
    for (const place of [{ voices: { list: [] } }, { data: { voices: { list: [], total: 0 } } }])
      expect(findRows({ ...place, ...common })).toMatchObject({ rows: [], isProven: true });
  });

  test("that are left out with their container prove nothing, also beside other objects", () => {
    const json = { ...common, models: [{ target_model: "m", name: "M" }], page: { number: { of: 0 } } };
    expect(findRows(json)).toMatchObject({ rows: [], isProven: false });
    expect(findRows({ ...json, items: [] }, ["items"])).toMatchObject({ isProven: true });
    expect(findRows({ ...json, items: [] }, ["items", "v1", "info"])).toMatchObject({ isProven: true });
    expect(findRows({ ...json, output: {} }, ["output", "items"])).toMatchObject({ isProven: false });
  });
});

test("a list that was read before a create, without a container, does not contradict the created voice", async () => {
  const { account } = respondingWith({ json: common }, { json: { ...common, items: rows.slice(0, 1) } });
  expect(await account.voices()).toEqual([]);
  account.add({ voice: "v-1", targetModel: "m-1" });
  expect(await account.named("other", "m-1")).toEqual([]);
});

describe("an error", () => {
  test("in an array, or named by its key, has its code", () => {
    const [code, message] = ["Audio.PreprocessError", "the text differs"];
    expect(errorFields([{ code, message }])).toEqual({ code, message });
    expect(errorFields({ errors: { [code]: [message] } }).code).toBe(code);
  });

  test.each<[object, string | undefined]>([
    [{ "Audio.PreprocessError": "the text differs" }, "Audio.PreprocessError"],
    [{ InvalidParameter: "the text differs", request_id: "r" }, "InvalidParameter"],
    [{ error: { VoiceNotExist: "the text differs" } }, "VoiceNotExist"],
    [{ errors: { LIMIT_EXCEEDED: ["the text differs"] } }, "LIMIT_EXCEEDED"],
    [{ Error: { RequestId: "r-1", HttpStatus: "Bad", Message: "the text differs" } }, undefined],
    [{ errors: { preferred_name: ["the text differs"] } }, undefined],
    [{ failure_code: "LIMIT_EXCEEDED", failure_reason: "the text differs" }, "LIMIT_EXCEEDED"],
  ])("has the code and the message of %j", (json, code) => {
    const named = "errors" in json && code === undefined ? undefined : "the text differs";
    expect(errorFields(json)).toEqual({ code, message: named });
  });

  test("that is the name of a field is found in a refusal, and in the answer to a delete", async () => {
    const poll = respondingWith({ status: 404, json: { TaskNotFound: "no such task" } }).images;
    expect(await poll.poll("t", { secret: false })).toMatchObject({ taskStatus: "UNKNOWN" });
    const create = respondingWith({ status: 400, json: { LIMIT_EXCEEDED: "no more", request_id: "r" } }).voices;
    const request = { targetModel: "m", preferredName: "a", audio: { url: "https://a.example/a.wav" } };
    await expect(create.create(request, sending)).rejects.toMatchObject({ name: "QuotaError", requestId: "r" });
    // It is not known whether the voice was deleted: the list decides.
    const { voices } = respondingWith({ json: { "InternalError.Algo": "it failed", request_id: "r", count: 0 } });
    await expect(voices.remove("v")).rejects.toMatchObject({ name: "ServiceError", code: "InternalError.Algo" });
  });

  test("is not what a field with the name of a code counts", () => {
    expect(isRefusal({ output: { metrics: { InvalidParameter: 0, "Audio.PreprocessError": null } } })).toBe(false);
  });

  test("that comes as a text with a status of success refuses the create", async () => {
    const { voices } = respondingWith({ json: "Audio.PreprocessError: the text differs" });
    const request = { targetModel: "m", preferredName: "a", audio: { url: "https://a.example/a.wav" } };
    await expect(voices.create(request, sending)).rejects.toMatchObject({
      code: "Audio.PreprocessError",
      billed: "no",
    });
  });

  test("is not what zeros report", () => {
    for (const code of ["0", "0000", "000000"]) expect(isRefusal({ ret: { code, desc: "done" } })).toBe(false);
  });

  test.each(["x-request-id", "x-svc-request-id", "X-Trace-Id", "request-id"])(
    "has the request id of the header %s",
    async (name) => {
      const { voices } = respondingWith({
        status: 400,
        headers: { [name]: "id-1" },
        json: { code: "InvalidParameter" },
      });
      await expect(voices.listPage(0, 10)).rejects.toMatchObject({ requestId: "id-1" });
    },
  );
});

describe("an image task", () => {
  const url = "https://images.example/1.png";
  const serviceUrl = "https://images.example/api";
  test.each<object>([
    { logs_url: "https://logs.example/1", Images: [{ Url: url }] },
    { console: { url: "https://console.example" }, x_place: url, log: "https://logs.example/1" },
    { link: "https://service.example/t", images: [{ url }] },
    { results: [{ urls: { original: url } }] },
    { resp_data: JSON.stringify({ image_urls: [url] }) },
    { result: JSON.stringify([{ url }]), orig_prompt: JSON.stringify({ image: "https://prompt.example/1.png" }) },
  ])("names its images and not other addresses: %j", (fields) => {
    expect(findImages({ output: { task_status: "SUCCEEDED", ...fields } }, serviceUrl)).toEqual([{ url }]);
  });

  test.each<object>([
    { results: [{ url: "/1.png" }] },
    { results: ["//images.example/1.png"] },
    { image: "/1.png", prompt: "/of-the-prompt.png", link: "/tasks/1" },
    { outputs: [{ file: { url: "/1.png", size: 10 } }] },
    { results: [{ avatar: "https://other.example/me.png", image_url: "/1.png" }] },
    { image_1: "/1.png", license: "https://other.example/license" },
  ])("names its images by their paths at the service: %j", (fields) => {
    expect(findImages({ output: { task_status: "SUCCEEDED", ...fields } }, serviceUrl)).toEqual([{ url }]);
  });

  test.each<object>([
    { outputs: [url], output_files: ["/tmp/1.png"] },
    { results: [{ object_key: "/bucket/1.png", cdn: url }] },
    { results: [{ path: "/tmp/1.png", link: url }] },
  ])("is not known by a path if an address names it: %j", (fields) => {
    expect(findImages({ output: { task_status: "SUCCEEDED", ...fields } }, serviceUrl)).toEqual([{ url }]);
  });

  test("is complete if one image has an address, and another a path", () => {
    const output = { task_status: "SUCCEEDED", images: [{ url }, { url: "/2.png" }] };
    expect(findImages({ output }, serviceUrl)).toEqual([{ url }, { url: "https://images.example/2.png" }]);
  });

  test.each<object>([
    { object_key: "/bucket/1.png", host: "images.example" },
    { results: [{ saved_to: "/tmp/1.png", b64_json: "iVBORw0" }] },
    { prompt: "/p.png" },
    { results: [{ orig_prompt: "/p.png", x_place: "/1.png" }] },
  ])("has no picture in a field that is for no address: %j", (fields) => {
    const found = findImages({ output: { task_status: "SUCCEEDED", ...fields } }, serviceUrl);
    expect(found.filter((image) => "url" in image)).toEqual([]);
  });

  test.each(["/tasks/1", "1.png", "/a b.png", "/1.png,/2.png", "//[1.png"])("has no picture at the path %s", (path) => {
    const output = { task_status: "SUCCEEDED", images: [path] };
    expect(findImages({ output }, serviceUrl).filter((image) => "url" in image)).toEqual([]);
  });

  test("is read in a moment, however long and alike a path of a picture its texts are", () => {
    const images = Array<string>(100).fill(`/${"a.png?".repeat(20_000)} `);
    expect(findImages({ output: { task_status: "SUCCEEDED", images } }, serviceUrl)).toHaveLength(0);
  });

  test("names no image if an address stands only in its prompt", () => {
    const prompt = JSON.stringify({ image: url });
    expect(findImages({ output: { task_status: "SUCCEEDED", prompt } }, serviceUrl)).toEqual([]);
  });

  test.each<[string, object]>([
    ["RUNNING", { task: { task_id: "t", task_status: "RUNNING", steps: [{ task_status: "SUCCEEDED" }] } }],
    ["RUNNING", { tasks: [{ task_id: "t", task_status: "RUNNING" }] }],
    ["PENDING", { data: { task_id: "t", steps: [{ task_status: "SUCCEEDED" }] } }],
    ["PENDING", { task_id: "t", task_status: null }],
  ])("is %s, whatever its parts are: %j", async (taskStatus, json) => {
    expect(await respondingWith({ json }).images.poll("t", { secret: false })).toMatchObject({ taskStatus });
  });

  test.each([{ task_id: 100007, task_status: "PENDING" }, [{ output: { task_id: "100007", task_status: "PENDING" } }]])(
    "is known by a number, and in an array at the top level: %j",
    async (json) => {
      const { images } = respondingWith({ json });
      expect(await images.submit({ model: "svc-image", prompt: "a" }, { sending })).toMatchObject({ taskId: "100007" });
      expect(await images.poll("100007", { secret: false })).toMatchObject({ taskStatus: "PENDING" });
    },
  );

  test("whose look-up is refused right after the submission is looked up again, and not for ever", async () => {
    const refusal = { status: 400, json: { code: "InvalidParameter.TaskId", message: "The task is not known." } };
    const options = { secret: false, pollMs: 10_000, timeoutMs: 900_000, settleMs: 60_000, log: () => undefined };
    const late = respondingWith(refusal, refusal, { json: { task_status: "SUCCEEDED", image: url } });
    const found = waitForTask("t", "PENDING", { ...options, client: late.images, clock: late.clock });
    expect(await found).toMatchObject({ taskStatus: "SUCCEEDED" });
    const never = respondingWith(refusal);
    const refused = waitForTask("t", "PENDING", { ...options, client: never.images, clock: never.clock });
    await expect(refused).rejects.toMatchObject({ name: "RejectedError" });
  });
});
