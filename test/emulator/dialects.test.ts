import { silentKinds } from "../../provider/emulator/faults";
import type { Emulator } from "../../provider/emulator";
import { bodies, decisionPath, submitPath, taskPath, voicePath } from "../support/contract";
import { emulate } from "../support/emulate";
import { control } from "./voice-call";

/** What the emulator does on purpose, without the client. test/dialects has whole lives in its dialects. */

/** `CLOUDVOICE_DIALECTS=200` draws more. */
const seeds = Array.from({ length: Number(process.env.CLOUDVOICE_DIALECTS ?? 25) }, (_, index) => index + 1);

async function send({ url, apiKey }: Emulator, path: string, request?: object) {
  const response = await fetch(url + path, {
    method: request ? "POST" : "GET",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", "x-svc-async": "enable" },
    ...(request && { body: JSON.stringify(request) }),
  });
  const text = await response.text();
  const body = /json/.test(response.headers.get("content-type") ?? "") ? (JSON.parse(text) as unknown) : text;
  return { status: response.status, headers: response.headers, body, text };
}

/** All objects in a value. */
function objectsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inside : [value as Record<string, unknown>, ...inside];
}

/** The only values of a field, wherever it is. */
const valuesOf = (value: unknown, field: string) =>
  objectsIn(value).flatMap((each) => (field in each ? [each[field]] : []));

const list = (page_index = 0, page_size = 1000) => ({
  model: "svc-voice-enrollment",
  input: { action: "list", page_index, page_size },
});
const remove = (voice: string) => ({ model: "svc-voice-enrollment", input: { action: "delete", voice } });
const prompt = (text: string) => ({ ...bodies.submit, input: { prompt: text }, parameters: { n: 2, size: "8*8" } });

test("a decision has the fields of the contract in every dialect, in any order and with others", async () => {
  for (const seed of seeds) {
    const { body } = await send(await emulate({ dialect: seed }), decisionPath, bodies.decide);
    expect(body).toMatchObject({
      model: "decision-model-preview",
      request_id: expect.any(String) as string,
      answers: { tone: { type: "choice" }, urgent: { type: "noul" }, clarity: { type: "score" } },
      usage: { input_tokens: expect.any(Number) as number },
      latency_ms: expect.any(Number) as number,
    });
  }
});

test.each(silentKinds)("the fault %s answers with the status 200 and no word about the call", async (kind) => {
  for (const afterWork of [false, true]) {
    const emulator = await emulate({ faults: [{ kind, times: 1, afterWork }] });
    const { status, text } = await send(emulator, voicePath, bodies.createFromUrl).catch(() => ({
      status: 200,
      text: "",
    }));
    expect(status).toBe(200);
    expect(text).not.toContain("svc-tts");
    expect(emulator.summary().voicesBilled).toBe(afterWork ? 1 : 0);
    expect(emulator.ledger()[0]).toMatchObject({ fault: kind, status: 200 });
  }
});

describe("in hostile mode", () => {
  const hostile = /\p{Cc}.*<img src=x onerror.*@team/su;

  test("every text that is open carries control characters, markup and mentions", async () => {
    const emulator = await emulate({ hostile: true });
    const created = await send(emulator, voicePath, bodies.createFromUrl);
    const [voice] = valuesOf(created.body, "voice") as string[];
    expect(voice).toMatch(hostile);
    expect(voice).toContain("bob-voice-");
    expect(valuesOf(created.body, "target_model")).toEqual([bodies.createFromUrl.input.target_model]);
    expect(valuesOf(created.body, "request_id")[0]).toMatch(hostile);
    expect(Object.keys(created.body as object).some((name) => hostile.test(name))).toBe(true);

    const refused = await send(emulator, voicePath, remove("absent"));
    expect(valuesOf(refused.body, "code")[0]).toMatch(/^BadRequest\.VoiceNotFound/);
    for (const field of ["code", "message"]) expect(valuesOf(refused.body, field)[0]).toMatch(hostile);

    const submitted = await send(emulator, submitPath, prompt("[fail]"));
    const [task] = valuesOf(submitted.body, "task_id") as string[];
    expect(task).toMatch(hostile);
    const failed = await send(emulator, taskPath + encodeURIComponent(task!));
    expect(valuesOf(failed.body, "task_status")).toEqual(["FAILED"]);
    for (const field of ["code", "message"]) expect(valuesOf(failed.body, field)[0]).toMatch(hostile);

    expect((await send(emulator, voicePath, remove(voice!))).status).toBe(200);
    expect(emulator.voices()).toEqual([]);
  });

  test("texts can have a million characters, and what the contract states is unchanged", async () => {
    const emulator = await emulate({ hostile: "long" });
    const input = { ...bodies.createFromUrl.input, text: "does not match" };
    const { body } = await send(emulator, voicePath, { ...bodies.createFromUrl, input });
    expect(valuesOf(body, "code")).toEqual(["Audio.PreprocessError"]);
    expect(String(valuesOf(body, "message")[0]).length).toBeGreaterThan(1_000_000);
  });
});

describe("as the contract states", () => {
  test("a voice that was unused for over one year is deleted", async () => {
    const emulator = await emulate();
    emulator.seedVoices("default", 1, { ageMs: 10 * 24 * 3600 * 1000 });
    const [young] = emulator.seedVoices("default", 1);
    emulator.advance(364 * 24 * 3600 * 1000);
    expect(valuesOf((await send(emulator, voicePath, list())).body, "voice")).toEqual([young]);
    expect(emulator.ledger().filter(({ deleted }) => deleted !== undefined)).toMatchObject([{ action: "control" }]);
    emulator.advance(2 * 24 * 3600 * 1000);
    expect(emulator.voices()).toEqual([]);
  });

  test.each([
    ["any size", { parameters: { size: "20000*3" } }],
    ["any number of images", { parameters: { n: 5000 } }],
    ["no image", { parameters: { n: 0 } }],
    ["an empty prompt", { input: { prompt: "" } }],
    ["a prompt of any length", { input: { prompt: "x".repeat(100_000) } }],
    ["an empty negative prompt", { parameters: { negative_prompt: "" } }],
  ])("%s is accepted in an image submission", async (_, change) => {
    const emulator = await emulate();
    const submitted = await send(emulator, submitPath, { ...bodies.submit, ...change });
    expect(submitted.status).toBe(200);
    const [task] = valuesOf(submitted.body, "task_id");
    expect(valuesOf((await send(emulator, taskPath + String(task))).body, "task_status")).toEqual(["SUCCEEDED"]);
  });

  test.each([
    ["an empty state", { state: "" }],
    ["criteria of a noul question", { questions: { urgent: { type: "noul", criteria: ["no", "yes"] } } }],
    ["no question", { questions: {} }],
  ])("%s is accepted in a decision", async (_, change) => {
    const emulator = await emulate();
    expect((await send(emulator, decisionPath, { ...bodies.decide, ...change })).status).toBe(200);
  });

  test.each([
    [0, 0, 0],
    [0, 1_000_000, 3],
    [1_000_000, 1_000_000, 0],
  ])("the page %d of %d rows is given", async (index, size, rows) => {
    const emulator = await emulate();
    emulator.seedVoices("default", 3);
    const { status, body } = await send(emulator, voicePath, list(index, size));
    expect(status).toBe(200);
    expect(valuesOf(body, "voice")).toHaveLength(rows);
  });
});

test("a response has the time of the emulator's clock, which `advance` moves", async () => {
  const emulator = await emulate();
  emulator.advance(90 * 24 * 3600 * 1000);
  const { headers } = await send(emulator, voicePath, list());
  expect(Math.abs(Date.parse(headers.get("date") ?? "") - emulator.time().getTime())).toBeLessThan(60_000);
  const { body: state } = await control(emulator, "GET", "state");
  expect(Date.parse(String(state.now)) - Date.now()).toBeGreaterThan(89 * 24 * 3600 * 1000);
});
