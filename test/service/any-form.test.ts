import fc from "fast-check";
import { readSettings } from "../../provider/src/rules/settings";
import { connect } from "../../provider/src/service/connect";
import type { HttpResponse } from "../../provider/src/service/http";
import { fakeClock } from "../support/service";

/**
 * The contract leaves open how responses are nested, what their containers are called, and how errors look. Each test
 * draws legal forms from a seed, and expects the same result from all of them.
 */

/** `RANDOM_INPUTS=10000` draws more forms. */
const numRuns = Number(process.env.RANDOM_INPUTS ?? 60);
const apiKey = "canary-key-0123456789";

/** The service, which gets one response to every call. */
function respondingWith(json: unknown, { status = 200, headers = {} }: Partial<HttpResponse> = {}) {
  const all: Record<string, string> = {
    baseUrl: "https://service.example",
    apiKey,
    maxRetries: "0",
    maxThrottleSeconds: "0",
  };
  let body = typeof json === "string" ? json : JSON.stringify(json);
  const sent: { method: string; headers: Record<string, string> }[] = [];
  const settings = readSettings((name) => (all[name] ? { value: all[name], source: name } : undefined));
  const http = {
    send: (request: (typeof sent)[number]) => {
      sent.push(request);
      return Promise.resolve({ status, headers: { "content-type": "application/json", ...headers }, body });
    },
    open: () => Promise.reject(new Error("no downloads here")),
    close: () => Promise.resolve(),
  };
  /** Changes the response to later calls. */
  const respond = (next: unknown) => (body = JSON.stringify(next));
  return { sent, respond, ...connect(settings, { http, clock: fakeClock() }) };
}

// The names of real containers, and names that nobody thought of.
const fieldName = fc.oneof(
  fc.constantFrom("output", "data", "result", "payload", "body", "response", "Data"),
  fc.stringMatching(/^[a-z]{3,8}$/).map((name) => `x_${name}`),
);
const container = fc.oneof(
  fc.constantFrom("voice_list", "voices", "items", "list", "records", "voiceList", "data", "rows"),
  fc.stringMatching(/^[a-z]{3,8}$/).map((name) => `y_${name}`),
);
/** Fields that a response may carry besides. */
const extras = fc.dictionary(
  fc.stringMatching(/^[a-z]{4,8}$/).map((name) => `extra_${name}`),
  fc.oneof(fc.integer(), fc.boolean(), fc.constantFrom("a", "b"), fc.constant(null)),
  { maxKeys: 3 },
);

/** The keys of an object in another order. */
function shuffled<T extends object>(object: T, seed: number): T {
  const entries = Object.entries(object);
  return Object.fromEntries(
    entries
      .map((entry, index) => [(index * 7919 + seed) % 104_729, entry] as const)
      .sort(([a], [b]) => a - b)
      .map(([, entry]) => entry),
  ) as T;
}

/** Puts fields into an envelope, or two, or none; and the fields of every response beside or inside. */
const nested = (fields: fc.Arbitrary<object>, common: object) =>
  fc
    .record({
      fields,
      extra: extras,
      envelopes: fc.array(fieldName, { maxLength: 2 }),
      inside: fc.boolean(),
      seed: fc.nat(1000),
    })
    .map(({ fields: own, extra, envelopes, inside, seed }) => {
      const core: object = shuffled({ ...extra, ...own, ...(inside && common) }, seed);
      const wrapped = envelopes.reduce<object>((inner, name) => ({ [name]: inner }), core);
      return shuffled({ ...wrapped, ...(!inside && common) }, seed);
    });

const check = <T>(form: fc.Arbitrary<T>, property: (form: T) => Promise<void>) =>
  fc.assert(fc.asyncProperty(form, property), { numRuns, seed: 26 });

const rows = [
  { voice: "svc-a-voice-20250812105009984-838b", target_model: "m-1", gmt_create: "2025-08-12 10:50:09" },
  { voice: "svc-b-voice-20250811105009984-838b", target_model: "m-2", gmt_create: "2025-08-11 17:59:32" },
  { voice: "svc-c-voice-20250811105009984-838b", target_model: "m-2", gmt_create: "2025-08-11 17:59:33" },
];

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
  });
});

describe("a create", () => {
  const request = { targetModel: "m", preferredName: "a", audio: { url: "https://a.example/a.wav" } };
  const fields = fc.record(
    {
      voice: fc.constant("svc-a-voice-1"),
      target_model: fc.constantFrom("m", "other"),
      fallback_mode: fc.constantFrom<unknown>(true, "true", 1, { on: true }, false, null, 0, "false"),
      fallback_reason: fc.constantFrom<unknown>("noisy", null, 4, { why: "noisy" }),
    },
    { requiredKeys: ["voice"] },
  );
  test("is read in any form, also if the fallback has another type", () =>
    check(nested(fields, { request_id: "r-1", count: 1 }), async (json) => {
      expect(await respondingWith(json).voices.create(request)).toMatchObject({
        voice: "svc-a-voice-1",
        requestId: "r-1",
      });
    }));

  test.each([
    [true, true],
    ["true", true],
    [1, true],
    [{ on: 1 }, true],
    [false, false],
    ["false", false],
    [0, false],
    [null, false],
  ])("with the fallback_mode %j is degraded: %s", async (mode, degraded) => {
    const json = { output: { voice: "v", fallback_mode: mode }, request_id: "r" };
    expect(await respondingWith(json).voices.create(request)).toMatchObject({ degraded });
  });

  test("whose voice stands in two envelopes names both, and may have been billed", async () => {
    const json = { data: { voice: "v-1" }, source: { voice: "v-2" }, request_id: "r", count: 1 };
    await expect(respondingWith(json).voices.create(request)).rejects.toMatchObject({
      billed: "unknown",
      message: expect.stringContaining("expected one voice, and there are data.voice and source.voice") as string,
    });
  });
});

describe("a delete", () => {
  const body = fc.oneof(
    nested(fc.constant({}), { request_id: "r", count: 0 }).map((json) => JSON.stringify(json)),
    fc.constantFrom("", "OK", "true", "[]", "null"),
  );
  test("is done if the service accepts it with any body", () =>
    check(body, async (text) => {
      expect(await respondingWith(text).voices.remove("v")).toBe(true);
    }));

  test.each(["<html>Log in</html>", '{"message":"temporarily unavailable","request_id":"r"}', '{"error":"busy"}'])(
    "whose response speaks of something else leaves it to the list: %s",
    async (text) => {
      await expect(respondingWith(text).voices.remove("v")).rejects.toMatchObject({ billed: "no" });
    },
  );

  test.each([400, 403, 404, 410, 500])("of an absent voice is done with the status %i too", async (status) => {
    const json = { error: { errorCode: "Voice.NotFound", detail: "no such voice" } };
    expect(await respondingWith(json, { status }).voices.remove("v")).toBe(false);
  });
});

describe("an image task", () => {
  test("that is submitted is read in any form", () => {
    const fields = fc.record(
      { task_id: fc.constant("t-1"), task_status: fc.constantFrom("PENDING", "queued") },
      { requiredKeys: ["task_id"] },
    );
    return check(nested(fields, { request_id: "r-1" }), async (json) => {
      const submitted = await respondingWith(json).images.submit({ model: "svc-image", prompt: "a" });
      expect(submitted).toMatchObject({ taskId: "t-1", requestId: "r-1" });
    });
  });

  const urls = ["https://images.example/1.png?Expires=1&Signature=a%2Fb", "https://images.example/2.png"];
  const field = fc.constantFrom("url", "image_url", "imageUrl", "image", "src", "uri", "x_field");
  const name = fc.oneof(fc.constantFrom("results", "images", "image_urls", "data", "files"), container);
  const found = fc.record({ field, name, extra: extras }).chain(({ field: key, name: list, extra }) => {
    const objects = urls.map((url) => ({ ...extra, orig_prompt: "a", [key]: url }));
    return fc.constantFrom<object>(
      { [list]: objects },
      { [list]: urls },
      {
        [list]: urls
          .map((url) => ({ [key]: { url } }))
          .map((each) => (key === "x_field" ? objects[0] : each))
          .map((_, index) => objects[index]),
      },
      { [list]: Object.fromEntries(objects.map((each, index) => [String(index), each])) },
      { [list]: { image_1: urls[0], image_2: urls[1] } },
      { image_1: urls[0], image_2: urls[1] },
    );
  });
  const common = {
    task_id: "t-1",
    task_status: "Succeeded",
    end_time: "2025-08-11 17:59:52.000",
    docs_url: "https://docs.example/",
  };
  test("that succeeded names its images in any form", () =>
    check(
      nested(
        found.map((fields) => ({ ...common, ...fields })),
        { request_id: "r-1" },
      ),
      async (json) => {
        const task = await respondingWith(json).images.poll("t-1", { secret: false });
        expect(task.taskStatus).toBe("Succeeded");
        expect(task.results.map((image) => ("url" in image ? image.url : image))).toEqual(urls);
      },
    ));

  test.each<object>([
    { image_url: urls[0] },
    { result: urls[0] },
    { result: { url: urls[0], thumbnail_url: "https://images.example/small.png" } },
    { image: { url: urls[0] } },
    { results: [{ url: urls[0] }], image_urls: [urls[0]] },
    { results: { url: urls[0] } },
  ])("that has one image names it: %j", async (fields) => {
    const { results } = await respondingWith({ output: { ...common, ...fields }, request_id: "r" }).images.poll("t", {
      secret: false,
    });
    expect(results).toEqual([{ url: urls[0] }]);
  });

  test("that failed shows why, also in a form that nobody knows", async () => {
    const json = { output: { task_id: "t", task_status: "FAILED", x_why: "DataInspectionFailed", x_hint: "no" } };
    const { message } = await respondingWith(json).images.poll("t", { secret: false });
    expect(message).toBe('the service gave no reason: {"output":{"x_why":"DataInspectionFailed","x_hint":"no"}}');
  });

  test.each([400, 404, 500])(
    "that the service does not know is UNKNOWN, as by its state, with the status %i",
    async (status) => {
      const { images } = respondingWith({ code: "TaskNotFound" }, { status });
      expect(await images.poll("t", { secret: false })).toMatchObject({ taskStatus: "UNKNOWN", results: [] });
    },
  );

  test("of which some images failed says which", async () => {
    const list = [{ image_url: urls[0] }, { error_code: "DataInspectionFailed", detail: "no" }];
    const task = await respondingWith({ data: { task_status: "SUCCEEDED", pictures: list } }).images.poll("t", {
      secret: false,
    });
    expect(task.results).toEqual([{ url: urls[0] }, { code: "DataInspectionFailed", message: "no" }]);
  });

  test("that names no image is kept as the service described it, without the key and control characters", async () => {
    const json = { output: { task_status: "SUCCEEDED", blob: `\u001b[31m ${apiKey}`, many: Array(5000).fill("x") } };
    const { results, raw } = await respondingWith(json).images.poll("t", { secret: false });
    expect(results).toEqual([]);
    expect(raw).toMatchObject({ output: { task_status: "SUCCEEDED", blob: "\\u{1b}[31m [key]" } });
    expect(JSON.stringify(raw).length).toBeLessThan(10_000);
  });

  test("is looked up without a Content-Type, because a GET has no content", async () => {
    const { images, sent } = respondingWith({ task_status: "RUNNING" });
    await images.poll("t", { secret: false });
    expect(Object.keys(sent[0]?.headers ?? {})).toEqual(["authorization"]);
  });
});

describe("a decision", () => {
  const questions = {
    usage: { type: "noul" },
    model: { type: "noul" },
    q: { type: "choice", criteria: { a: "A", b: "B" } },
  } as const;
  const answers = {
    usage: { type: "noul", noul: 0.5 },
    model: { type: "noul", noul: 0.25 },
    q: { type: "choice", choice: "a", confidence: 0.5, probabilities: { a: 0.75, b: 0.25 } },
  };
  test("is read in any form, whatever its questions are called", () =>
    check(
      nested(fc.constant({ answers, model: "decision-model-preview", usage: { input_tokens: 57 }, latency_ms: 3 }), {
        request_id: "r-1",
      }),
      async (json) => {
        const result = await respondingWith(json).decisions.ask("s", questions);
        expect(result).toEqual({
          answers,
          model: "decision-model-preview",
          requestId: "r-1",
          inputTokens: 57,
          latencyMs: 3,
        });
      },
    ));

  test("that does not say its tokens has none, and not 0", async () => {
    const { inputTokens, latencyMs } = await respondingWith({ answers, request_id: "r" }).decisions.ask("s", questions);
    expect([inputTokens, latencyMs]).toEqual([undefined, undefined]);
  });
});

describe("an error", () => {
  const code = "Audio.PreprocessError";
  const message = "the text differs from the audio";
  const shaped = fc.constantFrom<object | string>(
    { code, message },
    { Code: code, Message: message },
    { errorCode: code, errorMessage: message },
    { error_code: code, error_msg: message },
    { error: { code, message } },
    { error: { code: 400, type: code, message } },
    { error: `${code}: ${message}` },
    { error: code, error_description: message },
    { errors: [{ code, message }] },
    { errors: [`${code}: ${message}`] },
    { detail: { code, message } },
    { detail: `${code}: ${message}` },
    { detail: [{ type: code, msg: message }] },
    { status: "error", message: `${code}: ${message}` },
    { code: 40003, message: `${code}: ${message}` },
    { success: false, code, msg: message },
    { fault: { faultstring: "x", detail: { errorcode: code, message } } },
  );
  const json = shaped.chain((fields) => nested(fc.constant(fields as object), { request_id: "r-1" }));
  const body = fc.oneof(
    json.map((each) => JSON.stringify(each)),
    fc.constantFrom(
      `${message} (${code})`,
      `<html><body><h1>${code}</h1><p>${message}</p></body></html>`,
      `${code}: ${message}`,
      `"${code}: ${message}"`,
      `[${code}] - ${message}`,
    ),
  );
  const create = (text: string, status: number) =>
    respondingWith(text, {
      status,
      headers: text.startsWith("{") ? {} : { "content-type": "text/plain" },
    }).voices.create({
      targetModel: "m",
      preferredName: "a",
      audio: { url: "https://a.example/a.wav" },
    });

  test("that the contract names is found in any form, with any status, and is never billed", () =>
    check(fc.tuple(body, fc.constantFrom(400, 403, 422, 429, 500, 503)), async ([text, status]) => {
      await expect(create(text, status)).rejects.toMatchObject({
        name: "RejectedError",
        code,
        billed: "no",
        ...(text.startsWith("{") && { requestId: "r-1" }),
        reason: expect.stringContaining(message) as string,
      });
    }));

  test("that comes with a status of success is found too", () =>
    check(json, async (each) => {
      await expect(create(JSON.stringify(each), 200)).rejects.toMatchObject({ code, billed: "no" });
    }));

  test.each([400, 403, 409, 429, 500])(
    "that the account is full is known by its code with the status %i",
    async (status) => {
      for (const name of ["Throttling.AllocationQuota", "VoiceQuotaExceeded", "QuotaExceeded"])
        await expect(create(JSON.stringify({ code: name, message: "m" }), status)).rejects.toMatchObject({
          name: "QuotaError",
          billed: "no",
        });
    },
  );

  test.each([
    ["a code that says nothing", '{"code":"E1000","message":"m"}'],
    ["no code", '{"what":"full"}'],
  ])("that the account is full is known by the list, with %s", async (_, text) => {
    for (const status of [400, 403, 429]) {
      const list = JSON.stringify({ voices: rows, total: 3, request_id: "r" });
      let creates = 0;
      const all: Record<string, string> = { baseUrl: "https://service.example", apiKey, voiceQuota: "3" };
      const http = {
        send: ({ body: make }: { body?: () => unknown }) => {
          const isCreate = String(make?.()).includes('"create"');
          if (isCreate) creates++;
          return Promise.resolve({ status: isCreate ? status : 200, headers: {}, body: isCreate ? text : list });
        },
        open: () => Promise.reject(new Error()),
        close: () => Promise.resolve(),
      };
      const { voices } = connect(
        readSettings((name) => (all[name] ? { value: all[name], source: name } : undefined)),
        { http, clock: fakeClock() },
      );
      const audio = { url: "https://a.example/a.wav" };
      await expect(voices.create({ targetModel: "m", preferredName: "a", audio })).rejects.toMatchObject({
        name: "QuotaError",
        status,
        billed: "no",
      });
      expect(creates).toBe(1);
    }
  });

  test.each([
    ['{"oops":{"why":"who knows"}}', /the service gave no reason: \{"oops":\{"why":"who knows"\}\}/],
    [
      "<html><head><style>a{}</style></head><body><h1>Bad\nGateway</h1></body></html>",
      /a gateway and not from the service: Bad Gateway/,
    ],
    ["it is broken", /it is broken/],
    [`{"what":"${apiKey}\\u001b[2J${"x".repeat(9000)}"}`, /\{"what":"\[key\]\\u001b\[2Jx+ …/],
    ["", /the service gave no reason/],
  ])("that cannot be understood is shown, redacted and shortened: %.60s", async (text, shown) => {
    const error = (await create(text, 400).catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toMatch(shown);
    expect(error.message).not.toMatch(/canary|\p{Cc}/u);
    expect(error.message.length).toBeLessThan(700);
  });
});

describe("what the service names is safe to show", () => {
  const evil = `\u001b[2J${apiKey}`;
  test("ids, names, states and codes", async () => {
    const odd = {
      request_id: evil,
      voice: `svc-${evil}`,
      target_model: "m",
      task_id: evil,
      task_status: evil,
      code: evil,
    };
    const { voices, images } = respondingWith({ output: odd });
    const created = await voices.create({
      targetModel: "m",
      preferredName: "a",
      audio: { url: "https://a.example/a.wav" },
    });
    const submitted = await images.submit({ model: "svc-image", prompt: "a" });
    const task = await images.poll("t", { secret: false });
    const page = await respondingWith({ output: [odd], request_id: "r" }).voices.listPage(0, 1);
    expect(JSON.stringify([created, submitted, task, page])).not.toMatch(/canary|\\u001b/);
    expect(created.voice).toBe("svc-\\u{1b}[2J[key]");
  });

  test("a name that was made visible goes back as the service wrote it", async () => {
    const { voices, images, sent } = respondingWith({ task_status: "RUNNING" });
    await images.poll("t\\u{1b}1", { secret: false });
    await voices.remove("v\\u{1b}1");
    expect(
      sent.map(
        (request) => (request as { url?: string; body?: () => string }).body?.() ?? (request as { url?: string }).url,
      ),
    ).toEqual([expect.stringContaining("/t%1B1"), expect.stringContaining('"voice":"v\\u001b1"')]);
  });

  test("if an input is secret, a code, an id and a state show only what cannot quote it", async () => {
    const prompt = "canary-prompt";
    const odd = { code: prompt, message: prompt, request_id: `r-${prompt}`, task_id: "t", task_status: prompt };
    const refused = await respondingWith(odd, { status: 400 })
      .images.submit({ model: "svc-image", prompt }, { secret: true })
      .catch((error: unknown) => error);
    const task = await respondingWith({ output: { ...odd, code: `Bad.${prompt}` } }).images.poll("t", { secret: true });
    expect(`${String(refused)} ${JSON.stringify(refused)} ${task.taskStatus} ${task.code ?? ""}`).not.toContain(
      "canary",
    );
    const known = { code: "DataInspectionFailed", message: prompt, request_id: "r-1" };
    await expect(respondingWith(known, { status: 400 }).images.poll("t", { secret: true })).rejects.toMatchObject({
      code: "DataInspectionFailed",
      requestId: "r-1",
    });
  });
});

test("a hostile response is read or refused quickly, however deep, wide or large it is", async () => {
  const deep = `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`;
  const wide = JSON.stringify(
    Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, { voice: index }])),
  );
  const arrays = `${"[".repeat(5000)}${"]".repeat(5000)}`;
  for (const body of [
    deep,
    wide,
    arrays,
    `{"data":${deep}}`,
    `{"error":${deep}}`,
    `{"error":${arrays}}`,
    `{"error":${wide}}`,
  ]) {
    for (const status of [200, 400]) {
      const { voices, images, decisions } = respondingWith(body, { status });
      const calls = [
        voices.listPage(0, 10),
        voices.create({ targetModel: "m", preferredName: "a", audio: { url: "https://a.example/a.wav" } }),
        images.submit({ model: "svc-image", prompt: "a" }),
        images.poll("t", { secret: false }),
        decisions.ask("s", { q: { type: "noul" } }),
      ];
      for (const result of await Promise.allSettled(calls))
        expect(result).toMatchObject({ status: "rejected", reason: { reason: expect.any(String) as string } });
    }
  }
});

test("a page of 100,000 voices is read once, and once more to see whether there are others", async () => {
  const many = Array.from({ length: 100_000 }, (_, index) => ({ voice: `svc-v${index}-voice-1`, target_model: "m" }));
  const { account, sent } = respondingWith({ data: { many, total: many.length }, request_id: "r" });
  expect(await account.voices()).toHaveLength(100_000);
  // The service ignores the page: the same rows come again, so each is read once more.
  expect(sent.length).toBeLessThan(6);
});
