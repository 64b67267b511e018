import { bodies, decisionPath, submitPath, taskPath, voicePath } from "../support/contract";
import { emulate } from "../support/emulate";

/**
 * The emulator against the contract, without the client. The shapes of the responses are written by hand from the
 * contract, so a field that client and emulator both get wrong fails here.
 */

/** A response body with the type of each value in place of the value. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field)]));
}

/** A number that may be whole by chance. */
const number = expect.stringMatching(/^(integer|number)$/) as unknown;

describe.each(["nested", "flat"] as const)("the emulator, in the %s form, responds", (form) => {
  /** The whole body of a response: fields in `output`, fields in `usage`, and the request id. */
  const body = (output: object, usage?: object) =>
    form === "nested"
      ? { output, ...(usage && { usage }), request_id: "string" }
      : { ...output, ...usage, request_id: "string" };
  const json = { "content-type": "application/json" };

  async function emulator(options: Parameters<typeof emulate>[0] = {}) {
    const running = await emulate({ form, ...options });
    const send = async (method: "POST" | "GET", path: string, request?: object, headers: object = json) => {
      const response = await fetch(running.url + path, {
        method,
        headers: { authorization: `Bearer ${running.apiKey}`, ...headers },
        ...(request && { body: JSON.stringify(request) }),
      });
      const fields = (await response.json()) as Record<string, unknown>;
      return { status: response.status, fields, shape: shapeOf(fields) };
    };
    return { running, send };
  }

  test.each(["createFromFile", "createFromUrl"] as const)("to %s with the fields of contract 4.2", async (request) => {
    const { running, send } = await emulator();
    const { status, fields, shape } = await send("POST", voicePath, bodies[request]);
    expect(status).toBe(200);
    expect(shape).toEqual(body({ voice: "string", target_model: "string" }, { count: "integer" }));
    const { preferred_name, target_model } = bodies[request].input;
    const created = form === "nested" ? (fields.output as Record<string, unknown>) : fields;
    expect(created.target_model).toBe(target_model);
    // Contract 2.1: a fixed prefix, the preferred name, `-voice-`, a timestamp and a short suffix.
    expect(created.voice).toMatch(new RegExp(`^svc-tts-vc-${preferred_name}-voice-\\d{17}-[0-9a-f]{4}$`));
    expect(form === "nested" ? fields.usage : { count: fields.count }).toEqual({ count: 1 });
    expect(running.summary()).toMatchObject({ voicesBilled: 1, charge: 0.01 });
  });

  const row = { voice: "string", gmt_create: "string", target_model: "string" };
  const container = form === "nested" ? "voice_list" : "voices";
  const totals = { page_index: "integer", page_size: "integer", total_count: "integer" };
  test.each<[string, boolean, object]>([
    ["with the fields of contract 4.3 alone", false, {}],
    ["with the totals of newer responses", true, totals],
  ])("to a list %s", async (_, listTotals, extra) => {
    const { running, send } = await emulator({ listTotals });
    running.seedVoices("default", 103);
    const { status, fields, shape } = await send("POST", voicePath, bodies.list);
    expect(status).toBe(200);
    // Page 2 of 50 rows each has the last 3 of 103 rows.
    expect(shape).toEqual(body({ [container]: [row, row, row], ...extra }, { count: "integer" }));
    expect(form === "nested" ? fields.usage : { count: fields.count }).toEqual({ count: 0 });
  });

  test("to a list without paging with page 0 of 10 rows", async () => {
    const { running, send } = await emulator({ listTotals: false });
    running.seedVoices("default", 11);
    const { shape } = await send("POST", voicePath, { model: "svc-voice-enrollment", input: { action: "list" } });
    expect(shape).toEqual(body({ [container]: Array.from({ length: 10 }, () => row) }, { count: "integer" }));
  });

  test("to a delete with the fields of contract 4.4", async () => {
    const { running, send } = await emulator();
    const [voice] = running.seedVoices("default", 1);
    const request = { model: "svc-voice-enrollment", input: { action: "delete", voice } };
    const { status, fields, shape } = await send("POST", voicePath, request);
    expect(status).toBe(200);
    expect(shape).toEqual(body({}, { count: "integer" }));
    expect(form === "nested" ? fields.usage : { count: fields.count }).toEqual({ count: 0 });
  });

  test("to a submission and to its polls with the fields of contract 4.5 and 4.6", async () => {
    const { send } = await emulator({ finishAfterPolls: 1 });
    const submitted = await send("POST", submitPath, bodies.submit, { ...json, "x-svc-async": "enable" });
    expect(submitted.status).toBe(200);
    expect(submitted.shape).toEqual(body({ task_status: "string", task_id: "string" }));
    const output = (form === "nested" ? submitted.fields.output : submitted.fields) as Record<string, unknown>;
    expect(output.task_status).toBe("PENDING");

    const pending = await send("GET", taskPath + String(output.task_id), undefined, {});
    expect(pending.shape).toEqual(body({ task_id: "string", task_status: "string", submit_time: "string" }));
    const finished = await send("GET", taskPath + String(output.task_id), undefined, {});
    const result = { url: "string", orig_prompt: "string", actual_prompt: "string" };
    expect(finished.shape).toEqual(
      body(
        {
          task_id: "string",
          task_status: "string",
          submit_time: "string",
          end_time: "string",
          results: [result, result],
          task_metrics: { TOTAL: "integer", SUCCEEDED: "integer", FAILED: "integer" },
        },
        { image_count: "integer" },
      ),
    );
    expect(JSON.stringify(finished.fields)).toContain('"task_status":"SUCCEEDED"');
  });

  test("to a submission without the header X-Svc-Async with an error", async () => {
    const { send } = await emulator();
    const { status, fields, shape } = await send("POST", submitPath, bodies.submit);
    expect(status).toBe(403);
    expect(shape).toEqual({ code: "string", message: "string", request_id: "string" });
    expect(fields.code).toBe("AccessDenied");
  });

  test("to a decision request with the fields of contract 4.7, which has one form only", async () => {
    const { send } = await emulator();
    const { status, fields, shape } = await send("POST", decisionPath, bodies.decide);
    expect(status).toBe(200);
    expect(shape).toEqual({
      model: "string",
      request_id: "string",
      answers: {
        tone: { type: "string", choice: "string", confidence: number, probabilities: { calm: number, angry: number } },
        urgent: { type: "string", noul: number },
        clarity: {
          type: "string",
          score: number,
          confidence: number,
          legend: { "0": "string", "1": "string" },
          probabilities: { "0": number, "1": number },
        },
      },
      usage: { input_tokens: "integer" },
      latency_ms: number,
    });
    expect(fields).toMatchObject({
      model: "decision-model-preview",
      answers: {
        tone: { type: "choice" },
        urgent: { type: "noul" },
        clarity: { type: "score", legend: { "0": "unclear", "1": "clear" } },
      },
    });
  });

  test("to a decision request that is not valid with an error", async () => {
    const { send } = await emulator();
    const { status, shape } = await send("POST", decisionPath, { ...bodies.decide, model: "other" });
    expect(status).toBe(400);
    const error = { message: "string", type: "string", param: "object", code: "string" };
    expect(shape).toEqual(
      form === "nested" ? { error, request_id: "string" } : { code: "string", message: "string", request_id: "string" },
    );
  });
});
