import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { imageModels, languages, targetModels } from "../../provider/src/rules/contract";
import { recordings as accepted } from "../../provider/src/rules/file-formats";
import { bodies, contract, decisionPath, recording, submitPath, taskPath, voicePath } from "../support/contract";
import { respondingWith } from "../support/any-form";
import { recordings, root } from "../support/files";
import { serve } from "../support/serve";
import { connected, sending } from "../support/service";

/**
 * The client against the contract, without the emulator. The requests and responses are written by hand from the
 * contract, so a field that client and emulator both get wrong fails here.
 */

/** A server that keeps the requests it gets, and what was sent with them, and gives one response to each. */
async function serverWith(response: object, status = 200) {
  const sent: unknown[] = [];
  const { url, requests } = await serve((request, reply) => {
    void text(request).then((body) => {
      sent.push(body === "" ? undefined : JSON.parse(body));
      reply.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(response));
    });
  });
  return { requests, sent, service: connected({ url, apiKey: "sk-contract" }) };
}

type Service = Pick<ReturnType<typeof connected>, "voices" | "images" | "decisions">;
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
    const { requests, sent, service } = await serverWith({ code: "InvalidParameter", request_id: "r-1" }, 400);
    // Only the request matters here, so every response is a refusal that the client does not retry.
    await operations[operation](service).catch(() => undefined);
    expect(requests).toHaveLength(1);
    const [request] = requests;
    expect(request).toMatchObject({ method, url: path });
    expect(request?.headers).toMatchObject(headers);
    expect(request?.headers["x-svc-async"]).toBe(headers["x-svc-async"]);
    expect(sent).toEqual([body]);
  });

  test("an image task without parameters when the program sets none", async () => {
    const { sent, service } = await serverWith({ output: { task_id: "t-1", task_status: "PENDING" } });
    await service.images.submit({ model: "svc-image", prompt: "a harbour" }, { sending });
    expect(sent).toEqual([{ model: "svc-image", input: { prompt: "a harbour" } }]);
  });
});

describe.each(["nested", "flat"])("the client reads from the %s form", (form) => {
  const responding = (output: object, usage: object = {}) =>
    respondingWith({ ...(form === "nested" ? { output, usage } : { ...output, ...usage }), request_id: "r-1" });

  const created = { voice: "svc-tts-vc-bob-voice-20250812105009984-838b", target_model: "svc3-tts-vc-2026-01-22" };
  test.each<[what: string, more: object, degradedReason: string | undefined]>([
    ["a created voice", {}, undefined],
    ["a degraded voice", { fallback_mode: true, fallback_reason: "noisy audio" }, "noisy audio"],
  ])("%s", async (_, more, degradedReason) => {
    const result = await operations.createFromUrl(responding({ ...created, ...more }, { count: 1 }));
    const { voice, target_model: targetModel } = created;
    const degraded = degradedReason !== undefined;
    expect(result).toEqual({ voice, targetModel, degraded, degradedReason, requestId: "r-1" });
  });

  const rows = [
    { voice: "v-2", gmt_create: "2025-08-12 10:50:09", target_model: "svc3-tts-vc-2026-01-22" },
    { voice: "v-1", gmt_create: "2025-08-11 17:59:32", target_model: "svc3-tts-vc-realtime-2025-11-27" },
  ];
  test.each<[what: string, list: object, total: number | undefined]>([
    ["voice_list", { voice_list: rows }, undefined],
    ["voices", { voices: rows }, undefined],
    ["totals", { voice_list: rows, page_index: 0, page_size: 10, total_count: 2 }, 2],
  ])("a list with %s", async (_, list, total) => {
    const page = await operations.list(responding(list, { count: 0 }));
    expect(page.voices).toEqual([
      { voice: "v-2", createdAt: "2025-08-12T10:50:09Z", targetModel: "svc3-tts-vc-2026-01-22" },
      { voice: "v-1", createdAt: "2025-08-11T17:59:32Z", targetModel: "svc3-tts-vc-realtime-2025-11-27" },
    ]);
    expect(page.total).toBe(total);
  });

  test.each([{ task_status: "PENDING" }, { task_status: null }, {}])(
    "a submitted image task with %j",
    async (status) => {
      const result = await operations.submit(responding({ task_id: "t-1", ...status }));
      expect(result).toEqual({ taskId: "t-1", taskStatus: "PENDING", requestId: "r-1" });
    },
  );

  const task = { task_id: "0385dc79-5ff8-4d82" };
  test.each<object>([{}, { code: 200, message: "" }, { code: { http: 200 }, message: ["OK"] }])(
    "a finished image task, with %j beside its images",
    async (more) => {
      const refused = { code: "DataInspectionFailed", message: "Output data may contain inappropriate content." };
      const output = {
        ...task,
        task_status: "SUCCEEDED",
        submit_time: "2025-08-11 17:59:32.000",
        end_time: "2025-08-11 17:59:52.000",
        results: [
          { url: "https://example.com/1.png?Expires=1", orig_prompt: "a harbour", actual_prompt: "a harbour at dawn" },
          refused,
        ],
        task_metrics: { TOTAL: 2, SUCCEEDED: 1, FAILED: 1 },
        ...more,
      };
      expect(await operations.poll(responding(output, { image_count: 1 }))).toMatchObject({
        taskId: task.task_id,
        taskStatus: "SUCCEEDED",
        results: [{ url: "https://example.com/1.png?Expires=1", actualPrompt: "a harbour at dawn" }, refused],
      });
    },
  );

  test.each(["PENDING", "RUNNING", "FAILED", "CANCELED", "UNKNOWN", "SUSPENDED"])(
    "an image task in the state %s, with code and message when it has them",
    async (taskStatus) => {
      const why = { code: "InternalError.Timeout", message: "too slow" };
      const result = await operations.poll(responding({ ...task, task_status: taskStatus, ...why }));
      expect(result).toMatchObject({ taskStatus, results: [], ...why });
    },
  );
});

test("the client knows exactly the enumerated values of the contract", () => {
  expect([...targetModels]).toEqual(contract.targetModels);
  expect([...languages]).toEqual(contract.languages);
  expect([...imageModels]).toEqual(contract.imageModels);
  const mediaTypes = Object.values(accepted).map(({ mediaType }) => mediaType);
  expect(mediaTypes).toEqual(["audio/wav", "audio/mpeg", "audio/mp4"]);
});

/** docs/service.md sums the contract up, so it does not repeat every enumeration. */
const documented = [...contract.paths, ...contract.mediaTypes, ...contract.fixedModels, ...contract.headers];

test.each(documented)("docs/service.md contains %s", (literal) => {
  expect(readFileSync(join(root, "docs", "service.md"), "utf8")).toContain(literal);
});
