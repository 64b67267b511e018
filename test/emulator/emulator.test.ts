import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { startEmulator, startKeptEmulator } from "../../provider/emulator";
import { contract, voicePath } from "../support/contract";
import { emulate } from "../support/emulate";
import { addressesOf } from "../../provider/emulator/file-lock";
import { startKept } from "../../provider/emulator/kept";
import { put, recordings, temporaryFolder } from "../support/files";
import { control, createInput, dataUrl, postVoiceCall } from "./voice-call";

const create = createInput(dataUrl(readFileSync(recordings.m4a), "audio/mp4"));

test.each<[string, object, string]>([
  ["an unknown target model", { ...create, target_model: "x" }, "InvalidParameter"],
  ["a name with a hyphen", { ...create, preferred_name: "a-b" }, "InvalidParameter"],
  ["a name of 17 characters", { ...create, preferred_name: "a".repeat(17) }, "InvalidParameter"],
  ["an empty name", { ...create, preferred_name: "" }, "InvalidParameter"],
  ["an unknown field", { ...create, seed: 1 }, "InvalidParameter"],
  ["an unknown language", { ...create, language: "nl" }, "InvalidParameter"],
  ["a text that does not match the audio", { ...create, text: "does not match" }, "Audio.PreprocessError"],
  ["a negative page index", { action: "list", page_index: -1 }, "InvalidParameter"],
  ["a page index over 1000000", { action: "list", page_index: 1_000_001 }, "InvalidParameter"],
  ["a page size over 1000000", { action: "list", page_size: 1_000_001 }, "InvalidParameter"],
  ["an unknown action", { action: "update" }, "InvalidParameter"],
  ["a delete without a voice", { action: "delete" }, "InvalidParameter"],
  ["the deletion of an absent voice", { action: "delete", voice: "v" }, "BadRequest.VoiceNotFound"],
])("refuses %s with the code of the service, and bills nothing", async (_, input, code) => {
  const emulator = await emulate();
  expect(await postVoiceCall(emulator, input)).toMatchObject({ status: 400, body: { code } });
  expect(emulator.summary().charge).toBe(0);
});

test("accepts every target model and language of the contract", async () => {
  const emulator = await emulate();
  for (const target_model of contract.targetModels) {
    expect(await postVoiceCall(emulator, { ...create, target_model })).toMatchObject({ status: 200 });
  }
  for (const language of contract.languages) {
    expect(await postVoiceCall(emulator, { ...create, language })).toMatchObject({ status: 200 });
  }
});

test("refuses an unknown API key", async () => {
  const { url } = await emulate();
  expect(await postVoiceCall({ url, apiKey: "other" }, { action: "list" })).toMatchObject({
    status: 401,
    body: { code: "InvalidApiKey" },
  });
});

test("keeps the voices, the quota and the cost of each account apart", async () => {
  const emulator = await emulate({ accounts: { a: "key-a", b: "key-b" }, voiceQuota: 1 });
  const overQuota = { status: 429, body: { code: "Throttling.AllocationQuota" } };
  expect(await postVoiceCall({ ...emulator, apiKey: "key-a" }, create)).toMatchObject({ status: 200 });
  expect(await postVoiceCall({ ...emulator, apiKey: "key-a" }, create)).toMatchObject(overQuota);
  expect(await postVoiceCall({ ...emulator, apiKey: "key-b" }, create)).toMatchObject({ status: 200 });
  expect(emulator.summary("a")).toMatchObject({ calls: { create: 2 }, voicesBilled: 1, charge: 0.01 });
});

test("keeps the ledger in a file, even after a killed process left half a line, but no key and no audio", async () => {
  const options = { file: join(temporaryFolder(), "emulator.jsonl"), accounts: { a: "secret-key" } };
  const first = await emulate(options);
  await postVoiceCall(first, create);
  const [voice] = first.voices();
  await first.close();
  writeFileSync(options.file, `${readFileSync(options.file, "utf8")}{"at":"2026-`);

  const second = await emulate(options);
  expect(second.voices()).toEqual([voice]);
  expect(second.summary()).toMatchObject({ voicesBilled: 1 });
  await postVoiceCall(second, { action: "delete", voice: voice?.voice });
  await second.close();

  expect((await emulate(options)).voices()).toEqual([]);
  expect(readFileSync(options.file, "utf8")).not.toMatch(/secret-key|base64/);
});

test("keeps a port that no system gives to connections, and the one that it had before", async () => {
  const file = join(temporaryFolder(), "emulator.jsonl");
  const first = await startKeptEmulator(file);
  const port = Number(new URL(first.url).port);
  await first.close();
  expect([port >= 20_000, port < 32_768]).toEqual([true, true]);
  const second = await startKeptEmulator(file);
  await second.close();
  expect(second.url).toBe(first.url);

  // Another program may have the port that is drawn.
  const other = await emulate();
  const drawn = [Number(new URL(other.url).port), port];
  const third = await startKept(`${file}.other`, {}, () => drawn.shift() ?? 0);
  await third.close();
  expect(third.url).toBe(first.url);
});

test("shows state and ledger, sets faults, and resets over the control routes", async () => {
  const emulator = await emulate();
  emulator.seedVoices("default", 2);
  expect(await control(emulator, "GET", "state")).toMatchObject({ body: { voices: [{}, {}] } });
  const rules = [{ kind: "500", times: 1 }];
  expect(await control(emulator, "PUT", "faults", { body: { rules } })).toMatchObject({ status: 200 });
  expect((await postVoiceCall(emulator, { action: "list" })).status).toBe(500);
  expect((await postVoiceCall(emulator, { action: "list" })).status).toBe(200);
  expect((await control(emulator, "GET", "ledger")).body).toMatchObject({
    summary: { calls: { list: 2 } },
    entries: [{}, {}, { fault: "500" }, { status: 200 }],
  });
  await control(emulator, "POST", "reset");
  expect(emulator.voices()).toEqual([]);
  expect(emulator.ledger()).toEqual([]);
});

test.each([
  ["a short path", ""],
  ["a path that is too long for a socket", "a".repeat(100)],
  ["a path with as many bytes in fewer letters", "ä".repeat(50)],
])(
  "of many emulators that start at once with one file, also after one was killed, one gets it: %s",
  async (_, name) => {
    const file = put(temporaryFolder(), join(name, "emulator.jsonl"), "");
    const [socket = ""] = addressesOf(file);
    for (let round = 0; round < 5; round++) {
      const script = `require("net").createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, "SIGKILL"))`;
      await new Promise((resolve) => spawn(process.execPath, ["-e", script]).once("close", resolve));
      expect(existsSync(socket)).toBe(true);
      const started = await Promise.allSettled(Array.from({ length: 10 }, () => startEmulator({ file })));
      const held = started.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      expect(held).toHaveLength(1);
      await expect(startEmulator({ file })).rejects.toThrow("Another emulator uses the file");
      await held[0]?.close();
      expect(existsSync(`${socket}.taking`)).toBe(false);
    }
  },
);

test("two files in a folder with a long path have a lock each, which is the same in every working directory", async () => {
  const folder = join(temporaryFolder(), "a".repeat(100));
  const [first, second] = ["one.jsonl", "two.jsonl"].map((name) => put(folder, name, ""));
  const running = [await startEmulator({ file: first! }), await startEmulator({ file: second! })];
  const before = process.cwd();
  process.chdir(folder);
  try {
    await expect(startEmulator({ file: "one.jsonl" })).rejects.toThrow("Another emulator uses the file");
  } finally {
    process.chdir(before);
    for (const each of running) await each.close();
  }
});

test("the lock is beside its file, where nobody else may write, and is not taken from whoever keeps it closed", async () => {
  const file = join(temporaryFolder(), "emulator.jsonl");
  const [socket = ""] = addressesOf(file);
  expect(dirname(socket)).toBe(realpathSync(dirname(file)));
  // Not a socket at all: a connection to it fails in another way than to the remains of one.
  writeFileSync(socket, "mine");
  await expect(startEmulator({ file })).rejects.toThrow("Another emulator uses the file");
  expect(readFileSync(socket, "utf8")).toBe("mine");
});

test("a port that is in use is reported with the option that helps", async () => {
  const { port } = new URL((await emulate()).url);
  await expect(startEmulator({ port: Number(port) })).rejects.toThrow(
    `cannot listen on 127.0.0.1:${port}, because another program uses this port (EADDRINUSE). ` +
      "Stop that program, or choose another port with --port",
  );
});

test("an emulator that other machines reach needs its key for the control routes", async () => {
  const emulator = await emulate({ host: "0.0.0.0" });
  const [voice = ""] = emulator.seedVoices("default", 1);
  const url = emulator.url.replace("0.0.0.0", "127.0.0.1");
  const send = async (method: string, route: string, key?: string) =>
    (await control({ url }, method, route, { headers: key === undefined ? {} : { authorization: `Bearer ${key}` } }))
      .status;
  for (const key of [undefined, "other"]) {
    expect(await send("GET", "state", key)).toBe(401);
    expect(await send("GET", "ledger", key)).toBe(401);
    expect(await send("POST", "reset", key)).toBe(401);
    expect(await send("DELETE", `voices/${voice}`, key)).toBe(401);
  }
  expect(emulator.voices()).toHaveLength(1);
  expect(await send("GET", "state", emulator.apiKey)).toBe(200);
  expect(await send("DELETE", `voices/${voice}`, emulator.apiKey)).toBe(200);
  expect(await (await fetch(url)).text()).not.toContain(emulator.apiKey);
});

test("a voice can be deleted behind the stack, by a request and on the emulator's own page", async () => {
  const emulator = await emulate({ accounts: { a: "key-a", b: "key-b" } });
  const [first = "", second = ""] = emulator.seedVoices("b", 2);
  const remove = async (voice: string, headers = {}) =>
    (await control(emulator, "DELETE", `voices/${voice}`, { headers })).status;
  expect(await remove(first)).toBe(200);
  expect(await remove(first)).toBe(404);
  expect(emulator.voices("b").map(({ voice }) => voice)).toEqual([second]);
  expect(emulator.summary()).toMatchObject({ calls: {} });

  const page = await fetch(emulator.url);
  expect(page.headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
  expect(await page.text()).not.toContain("key-");
  expect(await remove(second, { origin: "https://evil.example" })).toBe(403);
  expect(await remove(second, { "sec-fetch-site": "cross-site" })).toBe(403);
  expect(await remove(second, { origin: emulator.url, "sec-fetch-site": "same-origin" })).toBe(200);
});

test("the clock moves forward only, and not beyond the year that a voice's name can hold", async () => {
  const emulator = await emulate();
  const advance = async (seconds: number) => (await control(emulator, "POST", "advance", { body: { seconds } })).status;
  expect(await advance(31_536_000)).toBe(200);
  for (const seconds of [1e300, 1e12, -1]) expect(await advance(seconds)).toBe(400);
  expect(() => emulator.advance(NaN)).toThrow(RangeError);
  const [voice] = emulator.seedVoices("default", 1);
  expect(voice).toMatch(/-voice-\d{17}-/);
});

test("refuses control requests of a web page, also after DNS rebinding", async () => {
  const emulator = await emulate();
  const headers = { origin: "https://evil.example" };
  expect(await control(emulator, "GET", "state", { headers })).toMatchObject({ status: 403 });
  // fetch does not send a Host header of the caller's choice, so use a socket.
  const { port } = new URL(emulator.url);
  const rebound = await new Promise<string>((resolve) => {
    const socket = connect(Number(port), "127.0.0.1", () =>
      socket.write("GET /_emulator/state HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n"),
    );
    let text = "";
    socket.on("data", (piece: Buffer) => (text += piece.toString())).on("close", () => resolve(text));
  });
  expect(rebound).toMatch(/^HTTP\/1.1 403/);
});

test("refuses an unknown path, another model, and a body that is not JSON", async () => {
  const emulator = await emulate();
  const unknown = await fetch(`${emulator.url}/api/v2`);
  expect(unknown.status).toBe(404);
  expect(await unknown.json()).toMatchObject({ message: expect.stringContaining("GET /api/v2") as unknown });
  for (const body of ["{", '{"input":{"action":"list"}}', '{"model":"svc-voice","input":{"action":"list"}}']) {
    const headers = { authorization: `Bearer ${emulator.apiKey}`, "content-type": "application/json" };
    expect((await fetch(emulator.url + voicePath, { method: "POST", headers, body })).status).toBe(400);
  }
});

test("injects the same faults when the seed is the same", async () => {
  const statusesOfRun = async () => {
    const emulator = await emulate({ seed: 7, faults: [{ kind: "500", probability: 0.5 }] });
    const statuses: number[] = [];
    for (let call = 0; call < 20; call++) statuses.push((await postVoiceCall(emulator, { action: "list" })).status);
    return statuses;
  };
  const first = await statusesOfRun();
  expect(await statusesOfRun()).toEqual(first);
  expect(new Set(first)).toEqual(new Set([200, 500]));
});

test("listens on the local machine only by default", async () => {
  expect(new URL((await emulate()).url).hostname).toBe("127.0.0.1");
});

test("refuses a body that is larger than any recording", async () => {
  const emulator = await emulate();
  const text = "x".repeat(17 * 1024 * 1024);
  expect(await postVoiceCall(emulator, { action: "create", text })).toMatchObject({ status: 413 });
  expect(emulator.summary()).toMatchObject({ voicesBilled: 0 });
});

test("accepts the configured number of calls a second, and refuses the others with 429 without Retry-After", async () => {
  const emulator = await emulate({ callsPerSecond: { list: 2 } });
  const list = () => postVoiceCall(emulator, { action: "list" });
  const statuses = (await Promise.all([list(), list(), list()])).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 200, 429]);
  expect(await postVoiceCall(emulator, { action: "delete", voice: "v" })).toMatchObject({ status: 400 });
  // The limits count real seconds, so time is passed in here.
  const clock = jest.spyOn(performance, "now").mockReturnValue(performance.now() + 1050);
  expect(await list()).toMatchObject({ status: 200 });
  clock.mockRestore();
  emulator.setCallsPerSecond({});
  expect((await Promise.all([list(), list(), list()])).map(({ status }) => status)).toEqual([200, 200, 200]);
});

test("the control routes set limits without a media type, and refuse unknown ones", async () => {
  const emulator = await emulate();
  const put = async (route: string, body: object) => (await control(emulator, "PUT", route, { body })).status;
  expect(await put("limits", { callsPerSecond: { list: 0 } })).toBe(200);
  expect(await postVoiceCall(emulator, { action: "list" })).toMatchObject({ status: 429 });
  expect(await put("limits", { callsPerSecond: {} })).toBe(200);
  expect(await put("limits", { callsPerSecond: { dance: 1 } })).toBe(400);
});
