import type { FaultKind } from "../../provider/emulator";
import type { Quirk } from "../../provider/emulator/forms";
import { type Questions, question } from "../../provider/src/rules/decision";
import { respondingWith } from "../support/any-form";
import { emulate } from "../support/emulate";
import { inFrontOf } from "../support/in-front";
import { connected, fakeClock, sending } from "../support/service";
import { calls, voice } from "./calls";

/** Responses that the contract leaves open or does not rule out. */

/** The service at this address, and the lines that it logs. */
function connectedTo(address: { url: string; apiKey: string }, settings?: Record<string, string>) {
  const lines: string[] = [];
  return { ...connected(address, settings, fakeClock(), { log: (line) => lines.push(line) }), lines };
}

async function withQuirks(...quirks: Quirk[]) {
  const emulator = await emulate({ quirks });
  return { emulator, ...connectedTo(emulator) };
}

const shaped = "svc-tts-vc-a-voice-20260101000000000-aaaa";
const questions = { risky: question.noul("Risky?"), team: question.choice("Who?", { a: "A", b: "B" }) };

test("a refusal with the status 200 because of too many calls is waited for", async () => {
  const slowDown = { status: 200, answer: '{"code":"Throttling.RateQuota","message":"Slow down."}' };
  const answers = [slowDown, slowDown];
  const refusing = await inFrontOf(
    await emulate(),
    () => undefined,
    () => answers.shift(),
  );
  const submitted = await calls.submit(connectedTo(refusing));
  expect([submitted.taskStatus, answers]).toEqual(["PENDING", []]);
});

test.each([{ status: "fine" }, ["a", "b"], '"text"', null])(
  "what shows no sign of this service is no list: %j",
  async (json) => {
    await expect(respondingWith(json).voices.listPage(0, 10)).rejects.toThrow(/unexpected form: .*doctor/);
  },
);

test.each([
  ["with the usual place of its voices", { voice_list: [] }, /as many voices as its total \(1\)/, "voice_list[]"],
  [
    "with voices in another place",
    { voice_list: [], items: [{ name: shaped }] },
    /one array of objects, but there are output\.voice_list and output\.items/,
    "voice_list[], items[name]",
  ],
])(
  "a list without voices whose total counts some is an error that lists its fields: %s",
  async (_, voices, expected, fields) => {
    const json = { output: { ...voices, total_count: 1 }, request_id: "r-1" };
    const work = respondingWith(json).voices.listPage(0, 10);
    await expect(work).rejects.toThrow(expected);
    await expect(work).rejects.toThrow(`it has output{${fields}, total_count}`);
  },
);

test("a look-up whose response is about another task shows no state", async () => {
  const json = { output: { task_id: "t-2", task_status: "FAILED" }, request_id: "r-1" };
  await expect(respondingWith(json).images.poll("t-1", { secret: false })).rejects.toThrow(/expected task_status/);
});

test("a page of HTML in place of a list may come from a wrong address, so the error says what to check", async () => {
  const page = respondingWith("<html><h1>Welcome</h1></html>", { headers: { "content-type": "text/html" } });
  await expect(page.voices.listPage(0, 10)).rejects.toThrow(
    /is not JSON, or it was cut short \(HTTP 200\)\. Run the command again later\. Check cloudvoice:baseUrl/,
  );
});

test("a service that refuses large pages is asked for smaller ones, which is remembered", async () => {
  const { emulator, account } = await withQuirks("small-pages");
  emulator.seedVoices("default", 250);
  const first = await account.atStart();
  expect(first.voices).toHaveLength(250);
  const listsBefore = emulator.summary().calls.list ?? 0;
  expect((await account.since(first.atMs + 1)).voices).toHaveLength(250);
  expect((emulator.summary().calls.list ?? 0) - listsBefore).toBe(4);
  const refused = emulator.ledger().filter(({ action, status }) => action === "list" && status === 400);
  expect(refused).toHaveLength(1);
});

test.each([400, 413, 422])(
  "a service that refuses each page with %i fails with its reason, after three",
  async (status) => {
    const { account, sent } = respondingWith({ code: "Arrearage", message: "Pay first." }, { status });
    await expect(account.atStart()).rejects.toThrow(/Pay first/);
    expect(sent).toHaveLength(3);
  },
);

test("a count other than one in the response of a create is logged", async () => {
  const { voices, lines } = await withQuirks("double-count");
  const created = await voices.create(voice, sending);
  expect(lines).toEqual([
    `warning: the service billed 2 creations for the voice ${created.voice}, but its contract promises one`,
  ]);
});

test("a paid decision whose numbers lie outside their usual ranges is kept, with one warning", async () => {
  const { decisions, lines } = await withQuirks("out-of-range");
  const { answers } = await decisions.ask("risky=yes", questions, { sending });
  expect(answers.risky.noul).toBeGreaterThan(1);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^warning: the answers of the decision [-\w]+ are unusual: .*noul.*outside 0 to 1/);
});

test.each(["500", "500-after", "reset-after", "html-502"] as const)(
  "a decision whose response is lost is sent again once, and the log says how many calls may have been billed: %s",
  async (kind) => {
    const emulator = await emulate({ faults: [{ kind, times: 1 }] });
    const { decisions, lines } = connectedTo(emulator);
    await decisions.ask("a", questions, { sending });
    expect(emulator.summary().calls.decide).toBe(2);
    expect(lines).toEqual([expect.stringContaining("up to 2 calls may have been billed")]);
  },
);

test.each<[FaultKind, name: string, mostBilled: RegExp]>([
  ["500-after", "ServiceError", /Up to 2 calls may have been billed\./],
  ["429", "RateLimitError", /may have been billed/],
  ["reset-before", "LostAnswerError", /may have been billed/],
])(
  "a decision whose response is lost, and whose second call ends with %s, may have been billed",
  async (kind, name, mostBilled) => {
    const emulator = await emulate({ faults: [{ kind: "500-after", times: 1 }, { kind }] });
    const { decisions } = connectedTo(emulator);
    const error: unknown = await decisions.ask("a", questions, { sending }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name, billed: "unknown", message: expect.stringMatching(mostBilled) as unknown });
    expect(String(error)).not.toContain("nothing was billed");
    // A 429 is waited for until 900 s are over.
    expect(emulator.summary().calls.decide).toBeGreaterThanOrEqual(2);
  },
);

test("any text is a legal key of questions and options, all the way to the service and back", async () => {
  const odd = JSON.parse(
    '{"__proto__":{"type":"choice","instructions":"?","criteria":{"__proto__":"a","toString":"b"}},' +
      '"toString":{"type":"noul","instructions":"?"},"constructor":{"type":"score","criteria":["a","b"]}}',
  ) as Questions;
  const { decisions, lines } = await withQuirks();
  const { answers } = await decisions.ask("a", odd, { sending });
  expect(Object.keys(answers).sort()).toEqual(["__proto__", "constructor", "toString"]);
  expect(lines).toEqual([]);
});

test("debug logs one line for each call, with the names of the fields and without a value", async () => {
  const emulator = await emulate();
  emulator.seedVoices("default", 1, { preferredName: "canary" });
  const { voices, lines } = connectedTo(emulator, { debug: "true" });
  await voices.listPage(0, 10);
  const [entry] = emulator.ledger().filter(({ action }) => action === "list");
  expect(lines).toEqual([
    `debug: POST /api/v1/services/audio/tts/customization (list): 200, 0 ms, request id ${entry?.requestId}, ` +
      "fields: output{page_index, page_size, total_count, voice_list[voice, target_model, gmt_create]}, " +
      "usage{count}, request_id",
  ]);
});

test("debug hides a request id that quotes a secret input", async () => {
  const quoting = { status: 200, answer: '{"code":"InvalidParameter","message":"no","request_id":"of-canary-1"}' };
  const refusing = await inFrontOf(
    await emulate(),
    () => undefined,
    () => quoting,
  );
  const { images, lines } = connectedTo(refusing, { debug: "true" });
  await expect(images.submit({ model: "svc-image", prompt: "canary" }, { sending, secret: true })).rejects.toThrow();
  expect(lines).toEqual([expect.stringMatching(/\(submit\): 200, .* request id \[hidden\], fields: code, message/)]);
});
