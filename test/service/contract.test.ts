import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { mediaTypes } from "../../provider/src/rules/audio";
import { NotFoundError } from "../../provider/src/errors";
import { imageModels, languages, targetModels } from "../../provider/src/rules/contract";
import { bodies, contract, decisionPath, recording, submitPath, taskPath, voicePath } from "../support/contract";
import { recordings, root } from "../support/files";
import { connected, sending } from "../support/service";

/**
 * The client against the contract, without the emulator. The requests and responses are written by hand from the
 * contract, so a field that client and emulator both get wrong fails here.
 */

interface Request {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: unknown;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server that records the requests it gets and sends one response to each of them. */
async function serverWith(response: object, status = 200) {
  const requests: Request[] = [];
  const server = createServer((request, reply) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      const { method, url: path, headers } = request;
      requests.push({ method, path, headers, body: body === "" ? undefined : (JSON.parse(body) as unknown) });
      reply.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(response));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { requests, service: connected({ url, apiKey: "sk-contract" }) };
}

type Service = ReturnType<typeof connected>;
const operations = {
  createFromFile: ({ voices }: Service) =>
    voices.create(
      {
        targetModel: "svc3-tts-vc-2026-01-22",
        preferredName: "narrator_1",
        audio: {
          path: recordings.mp3,
          kind: "mp3",
          bytes: recording.length,
          sha256: createHash("sha256").update(recording).digest("hex"),
        },
        text: 'Willkommen im "Museum".\n',
        language: "de",
      },
      sending,
    ),
  createFromUrl: ({ voices }: Service) =>
    voices.create(
      {
        targetModel: "svc3-tts-vc-realtime-2026-01-15",
        preferredName: "bob",
        audio: { url: "https://example.com/bob.wav" },
      },
      sending,
    ),
  list: ({ voices }: Service) => voices.listPage(2, 50),
  delete: ({ voices }: Service) => voices.remove("svc-tts-vc-bob-voice-1"),
  submit: ({ images }: Service) =>
    images.submit(
      {
        model: "svc-image-plus",
        prompt: "a harbour at dawn",
        negativePrompt: "",
        size: "1328*1328",
        n: 2,
        promptExtend: false,
        watermark: true,
      },
      { sending },
    ),
  poll: ({ images }: Service) => images.poll("0385dc79-5ff8-4d82", { secret: false }),
  decide: ({ decisions }: Service) =>
    decisions.ask(
      "The customer waits since Monday.",
      {
        tone: { type: "choice", instructions: "Which tone?", criteria: { calm: "stays calm", angry: "is angry" } },
        urgent: { type: "noul", instructions: "Is it urgent?" },
        clarity: { type: "score", instructions: "How clear?", criteria: ["unclear", "clear"] },
      },
      { sending },
    ),
};

describe("the client sends", () => {
  const json = { authorization: "Bearer sk-contract", "content-type": "application/json" };

  test.each<[string, keyof typeof operations, string, string, Record<string, string>, unknown]>([
    ["a create with a data URL (4.2)", "createFromFile", "POST", voicePath, json, bodies.createFromFile],
    ["a create with an audio URL (4.2)", "createFromUrl", "POST", voicePath, json, bodies.createFromUrl],
    ["a list (4.3)", "list", "POST", voicePath, json, bodies.list],
    ["a delete (4.4)", "delete", "POST", voicePath, json, bodies.delete],
    ["an image task (4.5)", "submit", "POST", submitPath, { ...json, "x-svc-async": "enable" }, bodies.submit],
    ["a poll (4.6)", "poll", "GET", `${taskPath}0385dc79-5ff8-4d82`, { authorization: json.authorization }, undefined],
    ["a decision request (4.7)", "decide", "POST", decisionPath, json, bodies.decide],
  ])("%s as the contract describes it", async (_, operation, method, path, headers, body) => {
    const { requests, service } = await serverWith({ code: "InvalidParameter", request_id: "r-1" }, 400);
    // Only the request matters here, so every response is a refusal that the client does not retry.
    await operations[operation](service).catch(() => undefined);
    expect(requests).toHaveLength(1);
    const [request] = requests;
    expect(request).toMatchObject({ method, path });
    expect(request?.headers).toMatchObject(headers);
    expect(request?.headers["x-svc-async"]).toBe(headers["x-svc-async"]);
    expect(request?.body).toEqual(body);
  });

  test("an image task without parameters when the program sets none", async () => {
    const { requests, service } = await serverWith({ output: { task_id: "t-1", task_status: "PENDING" } });
    await service.images.submit({ model: "svc-image", prompt: "a harbour" }, { sending });
    expect(requests[0]?.body).toEqual({ model: "svc-image", input: { prompt: "a harbour" } });
  });
});

describe("the client reads", () => {
  const voice = "svc-tts-vc-bob-voice-20250812105009984-838b";
  const targetModel = "svc3-tts-vc-2026-01-22";

  test.each<[string, object]>([
    ["nested", { output: { voice, target_model: targetModel }, usage: { count: 1 }, request_id: "r-1" }],
    ["flat", { voice, target_model: targetModel, count: 1, request_id: "r-1" }],
  ])("a created voice from the %s form", async (_, response) => {
    const { service } = await serverWith(response);
    expect(await operations.createFromUrl(service)).toEqual({
      voice,
      targetModel,
      degraded: false,
      degradedReason: undefined,
      requestId: "r-1",
    });
  });

  const degraded = { voice, target_model: targetModel, fallback_mode: true, fallback_reason: "noisy audio" };
  test.each<[string, object]>([
    ["nested", { output: degraded, usage: { count: 1 }, request_id: "r-1" }],
    ["flat", { ...degraded, count: 1, request_id: "r-1" }],
  ])("a degraded voice from the %s form", async (_, response) => {
    const { service } = await serverWith(response);
    expect(await operations.createFromUrl(service)).toMatchObject({ degraded: true, degradedReason: "noisy audio" });
  });

  const rows = [
    { voice: "v-2", gmt_create: "2025-08-12 10:50:09", target_model: "svc3-tts-vc-2026-01-22" },
    { voice: "v-1", gmt_create: "2025-08-11 17:59:32", target_model: "svc3-tts-vc-realtime-2025-11-27" },
  ];
  const totals = { page_index: 0, page_size: 10, total_count: 2 };
  test.each<[string, object, number | undefined]>([
    ["voice_list, nested", { output: { voice_list: rows }, usage: { count: 0 }, request_id: "r-1" }, undefined],
    ["voice_list, flat", { voice_list: rows, count: 0, request_id: "r-1" }, undefined],
    ["voices, nested", { output: { voices: rows }, usage: { count: 0 }, request_id: "r-1" }, undefined],
    ["voices, flat", { voices: rows, count: 0, request_id: "r-1" }, undefined],
    ["totals, nested", { output: { voice_list: rows, ...totals }, usage: { count: 0 }, request_id: "r-1" }, 2],
    ["totals, flat", { voices: rows, ...totals, count: 0, request_id: "r-1" }, 2],
  ])("a list with %s", async (_, response, total) => {
    const { service } = await serverWith(response);
    const page = await operations.list(service);
    expect(page.voices).toEqual([
      { voice: "v-2", gmtCreate: "2025-08-12T10:50:09Z", targetModel: "svc3-tts-vc-2026-01-22" },
      { voice: "v-1", gmtCreate: "2025-08-11T17:59:32Z", targetModel: "svc3-tts-vc-realtime-2025-11-27" },
    ]);
    expect(page.total).toBe(total);
  });

  test.each([
    ["nested", { output: {}, usage: { count: 0 }, request_id: "r-1" }],
    ["flat", { count: 0, request_id: "r-1" }],
  ])("the %s response to a delete as a voice that is gone", async (_, response) => {
    const { service } = await serverWith(response);
    await expect(operations.delete(service)).resolves.toBeUndefined();
  });

  test.each(["BadRequest.VoiceNotFound", "InvalidParameter.ResourceNotExist"])(
    "the code %s as one of a voice that is absent",
    async (code) => {
      const { service } = await serverWith({ code, message: "m", request_id: "r-1" }, 400);
      await expect(operations.delete(service)).rejects.toBeInstanceOf(NotFoundError);
    },
  );

  test.each<[string, object]>([
    ["nested", { output: { task_status: "PENDING", task_id: "t-1" }, request_id: "r-1" }],
    ["flat", { task_status: "PENDING", task_id: "t-1", request_id: "r-1" }],
    ["shortest", { task_id: "t-1", request_id: "r-1" }],
    ["half empty", { output: { task_status: null, task_id: "t-1" }, request_id: "r-1" }],
  ])("a submitted image task from the %s form", async (_, response) => {
    const { service } = await serverWith(response);
    expect(await operations.submit(service)).toEqual({ taskId: "t-1", taskStatus: "PENDING", requestId: "r-1" });
  });

  const finished = {
    task_id: "0385dc79-5ff8-4d82",
    task_status: "SUCCEEDED",
    submit_time: "2025-08-11 17:59:32.000",
    scheduled_time: "2025-08-11 17:59:32.100",
    end_time: "2025-08-11 17:59:52.000",
    results: [
      { url: "https://example.com/1.png?Expires=1", orig_prompt: "a harbour", actual_prompt: "a harbour at dawn" },
      { code: "DataInspectionFailed", message: "Output data may contain inappropriate content." },
    ],
    task_metrics: { TOTAL: 2, SUCCEEDED: 1, FAILED: 1 },
  };
  test.each<[string, object]>([
    ["nested", { output: finished, usage: { image_count: 1 }, request_id: "r-1" }],
    ["flat", { ...finished, image_count: 1, request_id: "r-1" }],
    ["confirmed", { ...finished, code: 200, message: "", request_id: "r-1" }],
    ["wordy", { ...finished, code: { http: 200 }, message: ["OK"], request_id: "r-1" }],
  ])("a finished image task from the %s form", async (_, response) => {
    const { service } = await serverWith(response);
    expect(await operations.poll(service)).toMatchObject({
      taskId: "0385dc79-5ff8-4d82",
      taskStatus: "SUCCEEDED",
      results: [
        { url: "https://example.com/1.png?Expires=1", actualPrompt: "a harbour at dawn" },
        { code: "DataInspectionFailed", message: "Output data may contain inappropriate content." },
      ],
    });
  });

  test.each(["PENDING", "RUNNING", "FAILED", "CANCELED", "UNKNOWN", "SUSPENDED"])(
    "an image task in the state %s, with code and message when it has them",
    async (status) => {
      const output = {
        task_id: "0385dc79-5ff8-4d82",
        task_status: status,
        code: "InternalError.Timeout",
        message: "too slow",
      };
      const { service } = await serverWith({ output, request_id: "r-1" });
      expect(await operations.poll(service)).toMatchObject({
        taskStatus: status,
        results: [],
        code: "InternalError.Timeout",
        message: "too slow",
      });
    },
  );

  test("the decision response of contract 4.7", async () => {
    const answers = {
      tone: { type: "choice", choice: "angry", confidence: 0.6, probabilities: { calm: 0.2, angry: 0.8 } },
      urgent: { type: "noul", noul: 0.93 },
      clarity: {
        type: "score",
        score: 0.75,
        confidence: 0.5,
        legend: { "0": "unclear", "1": "clear" },
        probabilities: { "0": 0.25, "1": 0.75 },
      },
    };
    const { service } = await serverWith({
      model: "decision-model-preview",
      request_id: "r-1",
      answers,
      usage: { input_tokens: 57 },
      latency_ms: 31.5,
    });
    expect(await operations.decide(service)).toEqual({
      model: "decision-model-preview",
      requestId: "r-1",
      answers,
      inputTokens: 57,
      latencyMs: 31.5,
    });
  });

  test.each<[string, object]>([
    ["flat", { code: "Audio.PreprocessError", message: "The text differs.", request_id: "r-1" }],
    [
      "compatible",
      {
        error: { code: "Audio.PreprocessError", message: "The text differs.", type: "invalid", param: null },
        request_id: "r-1",
      },
    ],
  ])("an error of the %s form", async (_, response) => {
    const { service } = await serverWith(response, 400);
    await expect(operations.createFromUrl(service)).rejects.toMatchObject({
      status: 400,
      code: "Audio.PreprocessError",
      requestId: "r-1",
      billed: "no",
      message: expect.stringContaining("The text differs") as unknown,
    });
  });
});

test("the client knows exactly the enumerated values of the contract", () => {
  expect([...targetModels]).toEqual(contract.targetModels);
  expect([...languages]).toEqual(contract.languages);
  expect([...imageModels]).toEqual(contract.imageModels);
  expect(mediaTypes).toEqual({ wav: "audio/wav", mp3: "audio/mpeg", mp4: "audio/mp4" });
});

/** docs/service.md sums the contract up, so it does not repeat every enumeration. */
const documented = [...contract.paths, ...contract.mediaTypes, ...contract.fixedModels, ...contract.headers];

test.each(documented)("docs/service.md contains %s", (literal) => {
  expect(readFileSync(join(root, "docs", "service.md"), "utf8")).toContain(literal);
});

// The contract is not part of this repository. Where it lies beside the checkout, check every literal against it.
const contractFile = join(root, "..", "shared", "service.md");
const { paths, ...values } = contract;
(existsSync(contractFile) ? test.each : test.skip.each)([
  ...paths,
  // In quotes, because `svc-image` is also the beginning of another model.
  ...Object.values(values).flatMap((names) => names.map((name) => `\`${name}\``)),
])("the contract contains %s", (literal) => {
  expect(readFileSync(contractFile, "utf8")).toContain(literal);
});
