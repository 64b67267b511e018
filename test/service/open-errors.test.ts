import { classifyRefusal, isRefusal } from "../../provider/src/service/classify-refusal";
import { parseJson } from "../../provider/src/service/response-fields";
import { errorFields } from "../../provider/src/service/structure/error-fields";
import { findImages } from "../../provider/src/service/structure/images";
import { apiKey, respondingWith } from "../support/any-form";
import { sending } from "../support/service";

/** Forms of errors and image tasks that a second independent service drew. */

const code = "Audio.PreprocessError";
const message = "the text differs from the audio";
const request = { targetModel: "m", preferredName: "a", audio: { url: "https://a.example/a.wav" } };

describe("the code that the contract names", () => {
  const forms: [body: unknown, reason: string][] = [
    [{ errors: { input: [`${code}: ${message}`] } }, message],
    [{ code: 400, sub_code: code, message }, message],
    [{ code: "E400", sub_code: code, message }, message],
    [{ code: "error", data: { hints: [{ about: `${message} (${code})` }] } }, message],
    [{ success: false, error_type: code, msg: message }, message],
    [{ ok: false, why: `${code} ${message}` }, message],
    [{ ok: false, why: code }, "the service gave no reason"],
    [{ failure: `${code} - ${message}` }, message],
    [{ exception: code, message }, message],
    [{ error: { kind: code, text: message } }, message],
    [{ type: `https://svc.example/errors/${code}`, title: message, status: 400 }, message],
    [{ error: "invalid_request", error_description: `${code}: ${message}` }, message],
    [{ message: "Bad request.", problems: [[`${code}: ${message}`]] }, message],
  ];
  test.each(forms)("is found wherever it stands, with any status, and is never billed: %j", async (form, reason) => {
    const body = { ...(form as object), request_id: "r-1" };
    for (const status of [200, 400, 403, 429, 500]) {
      const { voices, sent } = respondingWith(body, { status }, { maxRetries: "5", maxThrottleSeconds: "60" });
      await expect(voices.create(request, sending)).rejects.toMatchObject({
        ...{ name: "RejectedError", code, billed: "no", requestId: "r-1" },
        reason: expect.stringContaining(reason) as string,
      });
      expect(sent).toHaveLength(1);
    }
  });

  test.each<object>([
    { request_id: "r", count: 0, items: [{ voice: "v", last_error: code }] },
    { request_id: "r", count: 0, items: [{ voice: "v", history: [{ note: code }] }] },
    { output: { task_status: "RUNNING", input: { prompt: `a poster of ${code}` } } },
    { output: { task_status: "RUNNING", orig_prompt: `a poster of ${code}` } },
    { echo: { text: code } },
    { data: { query: { text: [code] } } },
    { text: `Audio.Please ${"x".repeat(20)}` },
  ])("is not what a voice or an input quotes: %j", (json) => {
    expect(errorFields(json)).toEqual({ code: undefined, message: undefined });
    expect(isRefusal(json)).toBe(false);
  });

  test("is looked for in a bounded part of a response", () => {
    const wide = (depth: number): unknown => (depth === 0 ? code : Array(60).fill(wide(depth - 1)));
    const startedAt = performance.now();
    for (const json of [wide(4), { error: wide(4) }, { a: wide(3) }]) errorFields(json);
    expect(performance.now() - startedAt).toBeLessThan(500);
  });

  test("does not hide a code that the service gives by name", () => {
    const body = JSON.stringify({ code: "Throttling.RateQuota", message: `not ${code}` });
    const context = { json: parseJson(body), nowMs: 0, interfaceName: "voices", secret: false } as const;
    expect(classifyRefusal({ status: 400, headers: {}, body }, context)).toMatchObject({ name: "RateLimitError" });
  });
});

describe("an identifier that is sent back", () => {
  test.each([
    ["long", `t-${"0123456789abcdef".repeat(50)}`],
    ["very long", "x".repeat(4000)],
    ["of control characters", "\u001b".repeat(300)],
    ["with what stands for a control character", "a\\u{1b}⏎\n\\u{5c}\\u{zz}\\b"],
    ["like a data URL", `data:${"a".repeat(100)}`],
  ])("is the service's own text, and what is shown of it is visible: %s", async (_, id) => {
    const { images, voices, sent, respond } = respondingWith({ output: { task_id: id, task_status: "PENDING" } });
    const { taskId } = await images.submit({ model: "svc-image", prompt: "a" }, { sending });
    expect(taskId).not.toMatch(/\p{Cc}/u);
    respond({ output: { task_status: "RUNNING" } });
    await images.poll(taskId, { secret: false });
    const { url } = sent[1] as unknown as { url: string };
    expect(decodeURIComponent(url.split("/tasks/")[1] ?? "")).toBe(id);

    respond({ voice: id });
    const { voice } = await voices.create(request, sending);
    respond({ request_id: "r", count: 0, items: [{ voice: id, target_model: "m", gmt_create: "x" }] });
    expect((await voices.listPage(0, 10)).voices).toMatchObject([{ voice }]);
    respond({ request_id: "r", count: 0 });
    await voices.remove(voice);
    const { body } = sent.at(-1) as unknown as { body: () => string };
    expect(JSON.parse(body())).toMatchObject({ input: { voice: id } });
  });

  test("is refused if it is longer than a state should hold, and is never cut", async () => {
    const { images } = respondingWith({ output: { task_id: "x".repeat(4001), task_status: "PENDING" } });
    await expect(images.submit({ model: "svc-image", prompt: "a" }, { sending })).rejects.toMatchObject({
      ...{ name: "UnexpectedAnswerError", billed: "unknown" },
      message: expect.stringMatching(/expected a task_id of at most 4000 characters/) as string,
    });
  });

  test("is longer than a request id, a code or a state, which are only shown", async () => {
    const long = "x".repeat(900);
    const json = { output: { task_status: long, code: long }, request_id: long };
    const task = await respondingWith(json).images.poll("t", { secret: false });
    for (const text of [task.taskStatus, task.code, (task as { requestId?: string }).requestId])
      expect(text?.length).toBeLessThan(210);
  });
});

describe("an image task", () => {
  test.each([400, 404, 410, 500, 200])("that ended says so with the status %i", async (status) => {
    const failed = { task_id: "t", task_status: "Failed", code: "DataInspectionFailed", message: "the prompt" };
    const { images, sent } = respondingWith({ output: failed, request_id: "r" }, { status }, { maxRetries: "5" });
    expect(await images.poll("t", { secret: false })).toMatchObject({
      ...{ taskStatus: "Failed", code: "DataInspectionFailed", message: "the prompt" },
    });
    expect(sent).toHaveLength(1);
    for (const task_status of ["UNKNOWN", "CANCELED"])
      expect(await respondingWith({ task_status }, { status }).images.poll("t", { secret: false })).toMatchObject({
        taskStatus: task_status,
      });
  });

  test.each([
    [404, { message: "no such task", request_id: "rid-9" }],
    [404, { code: "E4004" }],
    [404, { error: { code: 404, status: "NOT_FOUND", message: "Task t was not found" } }],
    [410, { message: "gone" }],
  ])("that the service does not know is UNKNOWN, by the status %i of its response %j", async (status, json) => {
    expect(await respondingWith(json, { status }).images.poll("t", { secret: false })).toMatchObject({
      taskStatus: "UNKNOWN",
    });
  });

  test.each([
    [404, "<html><h1>404 Not Found</h1></html>", "RejectedError"],
    [404, "404 page not found", "RejectedError"],
    // What gateways say of any path.
    [404, {}, "RejectedError"],
    [404, { code: 404, msg: "?" }, "RejectedError"],
    [404, { message: "no Route matched with those values", request_id: "rid-9" }, "RejectedError"],
    [404, { timestamp: 1, status: 404, error: "Not Found", path: "/api/v1/tasks/t" }, "RejectedError"],
    [404, { type: "about:blank", title: "Not Found", status: 404, instance: "/api/v1/tasks/t" }, "RejectedError"],
    [404, { error: { code: 404, status: "NOT_FOUND" } }, "RejectedError"],
    [404, { message: "Cannot GET /api/v1/tasks/t", error: "Not Found", statusCode: 404 }, "RejectedError"],
    [404, { code: "InvalidApiKey", message: "m" }, "AuthenticationError"],
    [404, { code: "Throttling.RateQuota" }, "RateLimitError"],
    [400, { code: "InvalidParameter", message: "m" }, "RejectedError"],
    [401, { message: "m" }, "AuthenticationError"],
    [500, { output: { task_status: "RUNNING" } }, "ServiceError"],
  ])("is not lost because of another refusal: %i %j", async (status, json, name) => {
    const headers = { "content-type": typeof json === "string" ? "text/plain" : "application/json" };
    const { images } = respondingWith(json, { status, headers });
    await expect(images.poll("t", { secret: false })).rejects.toMatchObject({ name });
  });

  test("that failed shows all that its response says, with the code that it names", async () => {
    const json = { output: { task_id: "t", task_status: "FAILED", x_why: "DataInspectionFailed", x_hint: "no" } };
    expect(await respondingWith(json).images.poll("t", { secret: false })).toMatchObject({
      code: "DataInspectionFailed",
      message: 'the service gave no reason: {"output":{"x_why":"DataInspectionFailed","x_hint":"no"}}',
    });
  });

  const serviceUrl = "https://service.example";
  const urls = ["https://images.example/1.png?Expires=1&a=b,c", "https://images.example/2.png"];
  const each = <T>(form: (url: string) => T): T[] => urls.map(form);
  test.each<object>([
    { choices: each((image) => ({ message: { role: "assistant", content: [{ image }] }, finish_reason: "stop" })) },
    { choices: [{ message: { content: each((image) => ({ type: "image", image })) } }] },
    { choices: each((url) => ({ message: { content: [{ type: "image_url", image_url: { url } }] } })) },
    { files: each((download_url) => ({ file: { download_url, size: 100 } })) },
    { results: each((original) => ({ urls: { original, thumb: `${original}-t` } })) },
    { images: each((url) => ({ status: "SUCCEEDED", content: { url } })) },
    { images: each((url) => ({ image: { original: { url } } })) },
    { data: { images: each((url) => ({ variants: [{ url, size: "full" }] })) } },
    { results: urls.join(",") },
    { results: urls.join(" ") },
    { results: urls.join(", \n") },
    { image_urls: [urls.join(",")] },
    { output_image: urls.join(";") },
    { result: { url: urls.join(",") } },
  ])("names its images, however deep in their entries: %j", (fields) => {
    const found = findImages(
      { output: { task_id: "t", task_status: "SUCCEEDED", ...fields }, request_id: "r" },
      serviceUrl,
    );
    expect(found).toEqual(each((url) => ({ url })));
  });

  const [url = ""] = urls;
  test.each<object>([
    { image: { original: { url } } },
    { image: { original: { url }, thumbnail: { url: `${url}-t` } } },
    { choices: [{ message: { content: [{ image: url }] } }] },
    { results: [{ urls: { original: url } }] },
  ])("that has one image names it: %j", (fields) => {
    expect(findImages({ output: { task_status: "SUCCEEDED", ...fields } }, serviceUrl)).toEqual([{ url }]);
  });

  test("of which some images failed says which, also where the others stand deeper", () => {
    const choices = [{ message: { content: [{ image: url }] } }, { code: "DataInspectionFailed", message: "no" }];
    expect(findImages({ output: { choices } }, serviceUrl)).toEqual([
      { url },
      { code: "DataInspectionFailed", message: "no" },
    ]);
  });

  test("of which one failed is not taken for what its entry names besides", () => {
    const failed = { code: "DataInspectionFailed", message: "no", source: { place: { url: `${url}/source` } } };
    const results = [failed, { urls: { original: url } }];
    expect(findImages({ output: { results } }, serviceUrl)).toEqual([
      { code: "DataInspectionFailed", message: "no" },
      { url },
    ]);
  });

  test("of which one entry names two places that differ has no images that are known", () => {
    const files = ["a", "b"].map((name) => ({
      first: { place: `${url}/${name}` },
      second: { place: `${url}/${name}2` },
    }));
    expect(findImages({ output: { files } }, serviceUrl)).toEqual([]);
  });
});

describe("a response of unknown form shows what the service says", () => {
  const text = `the recording is too noisy ${apiKey} \u001b ${"x".repeat(9000)}`;
  const json = { request_id: "rid-77", count: 0, status: "failed", message: text };

  test("of a create, redacted and shortened, beside the names of the fields", async () => {
    const error = await respondingWith(json)
      .voices.create(request, sending)
      .catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ name: "UnexpectedAnswerError", billed: "unknown", requestId: "rid-77" });
    const { message: shown } = error as Error;
    expect(shown).toMatch(/it has request_id, count, status, message; expected voice; it says: the recording is too/);
    expect(shown).not.toMatch(/canary|\p{Cc}/u);
    expect(shown.length).toBeLessThan(900);
  });

  test("but not if an input is secret", async () => {
    const create = respondingWith(json).voices.create({ ...request, secret: true }, sending);
    await expect(create).rejects.toThrow(/its fields are not shown, because an input may be secret(?!.*noisy)/);
  });
});
