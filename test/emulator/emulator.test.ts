import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { emulate } from "../support/emulate";
import { recordings, temporaryFolder, wav } from "../support/files";

/** The emulator refuses what the service refuses, and keeps what a test wants to know. */

const path = "/api/v1/services/audio/tts/customization";

async function post(emulator: { url: string; apiKey: string }, input: object, headers: Record<string, string> = {}) {
  const answer = await fetch(emulator.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${emulator.apiKey}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "svc-voice-enrollment", input }),
  });
  return {
    status: answer.status,
    body: (await answer.json()) as { code?: string; message?: string; output?: Record<string, unknown> },
  };
}

const data = (bytes: Buffer, type = "audio/wav") => ({ data: `data:${type};base64,${bytes.toString("base64")}` });
const speech = readFileSync(recordings.m4a);
const sound = {
  action: "create",
  target_model: "svc3-tts-vc-2026-01-22",
  preferred_name: "bob",
  audio: data(speech, "audio/mp4"),
};

test.each<[string, object, string]>([
  ["an unknown model", { ...sound, target_model: "x" }, "InvalidParameter"],
  ["a name with a hyphen", { ...sound, preferred_name: "a-b" }, "InvalidParameter"],
  ["a field that it does not know", { ...sound, seed: 1 }, "InvalidParameter"],
  ["a language that it does not know", { ...sound, language: "nl" }, "InvalidParameter"],
  ["a label that does not fit", { ...sound, audio: data(speech, "audio/mpeg") }, "Audio.DecoderError"],
  ["a media type that it does not take", { ...sound, audio: data(speech, "audio/ogg") }, "Audio.DecoderError"],
  ["audio too short", { ...sound, audio: data(wav(5)) }, "Audio.AudioShortError"],
  ["audio too long", { ...sound, audio: data(wav(21)) }, "Audio.DurationLimitError"],
  ["a text that does not match", { ...sound, text: "does not match" }, "Audio.PreprocessError"],
  ["a page below zero", { action: "list", page_index: -1 }, "InvalidParameter"],
  ["an action that it does not know", { action: "update" }, "InvalidParameter"],
  ["a voice that is not there", { action: "delete", voice: "v" }, "BadRequest.VoiceNotFound"],
])("%s is refused with its code, and nothing is billed", async (_, input, code) => {
  const emulator = await emulate();
  expect(await post(emulator, input)).toMatchObject({ status: 400, body: { code } });
  expect(emulator.summary().charge).toBe(0);
});

test("a key that it did not give out is refused, and so is none", async () => {
  const emulator = await emulate();
  expect(await post({ ...emulator, apiKey: "other" }, { action: "list" })).toMatchObject({
    status: 401,
    body: { code: "InvalidApiKey" },
  });
});

test("an account per key, and the quota per account", async () => {
  const emulator = await emulate({ accounts: { a: "key-a", b: "key-b" }, voiceQuota: 1 });
  expect((await post({ ...emulator, apiKey: "key-a" }, sound)).status).toBe(200);
  expect(await post({ ...emulator, apiKey: "key-a" }, sound)).toMatchObject({
    status: 429,
    body: { code: "Throttling.AllocationQuota" },
  });
  expect((await post({ ...emulator, apiKey: "key-b" }, sound)).status).toBe(200);
  expect(emulator.summary("a")).toMatchObject({ calls: { create: 2 }, voicesBilled: 1, charge: 0.01 });
});

test("with a file it remembers between runs, half a line at the end included, and no key or audio is in it", async () => {
  const file = join(temporaryFolder(), "emulator.jsonl");
  const first = await emulate({ file, accounts: { a: "secret-key" } });
  await post(first, sound);
  const [voice] = first.voices();
  await first.close();
  writeFileSync(file, readFileSync(file, "utf8") + '{"at":"2026-');
  const second = await emulate({ file, accounts: { a: "secret-key" } });
  expect(second.voices()).toEqual([voice]);
  expect(second.summary()).toMatchObject({ voicesBilled: 1 });
  await post(second, { action: "delete", voice: voice?.voice });
  await second.close();
  expect((await emulate({ file, accounts: { a: "secret-key" } })).voices()).toEqual([]);
  expect(readFileSync(file, "utf8")).not.toMatch(/secret-key|base64/);
});

test("the control routes show state and ledger, set faults, and reset", async () => {
  const emulator = await emulate();
  emulator.seedVoices("default", 2);
  const get = async (route: string) => (await fetch(`${emulator.url}/_emulator/${route}`)).json();
  expect(await get("state")).toMatchObject({ voices: [{}, {}] });

  const faults = await fetch(`${emulator.url}/_emulator/faults`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ rules: [{ kind: "500", times: 1 }] }),
  });
  expect(faults.status).toBe(200);
  expect((await post(emulator, { action: "list" })).status).toBe(500);
  expect((await post(emulator, { action: "list" })).status).toBe(200);
  expect(await get("ledger")).toMatchObject({
    summary: { calls: { list: 2 } },
    entries: [{}, {}, { fault: "500" }, { status: 200 }],
  });

  await fetch(`${emulator.url}/_emulator/reset`, { method: "POST" });
  expect(emulator.voices()).toEqual([]);
  expect(emulator.ledger()).toEqual([]);
});

test("a web page can't use the control routes, by its origin or by a name that leads here", async () => {
  const emulator = await emulate();
  const origin = await fetch(`${emulator.url}/_emulator/state`, { headers: { origin: "https://evil.example" } });
  expect(origin.status).toBe(403);
  // fetch does not let a Host header through.
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

test("paths and bodies that it does not know are refused loudly", async () => {
  const emulator = await emulate();
  expect((await fetch(`${emulator.url}/api/v2`)).status).toBe(404);
  const broken = await fetch(emulator.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${emulator.apiKey}`, "content-type": "application/json" },
    body: "{",
  });
  expect(broken.status).toBe(400);
});

test("the same seed plays the same faults", async () => {
  const played = async () => {
    const emulator = await emulate({ seed: 7, faults: [{ kind: "500", probability: 0.5 }] });
    const statuses: number[] = [];
    for (let call = 0; call < 20; call++) statuses.push((await post(emulator, { action: "list" })).status);
    return statuses;
  };
  const first = await played();
  expect(await played()).toEqual(first);
  expect(new Set(first)).toEqual(new Set([200, 500]));
});

test("it listens on this machine alone unless told otherwise, and takes no body that no recording could fill", async () => {
  const emulator = await emulate();
  expect(new URL(emulator.url).hostname).toBe("127.0.0.1");
  const reply = await fetch(`${emulator.url}/api/v1/services/audio/tts/customization`, {
    method: "POST",
    headers: { authorization: `Bearer ${emulator.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "svc-voice-enrollment",
      input: { action: "create", text: "x".repeat(17 * 1024 * 1024) },
    }),
  });
  expect(reply.status).toBe(413);
  expect(emulator.summary()).toMatchObject({ voicesBilled: 0 });
});

test("a quota holds for creates that come at once", async () => {
  const emulator = await emulate({ voiceQuota: 1 });
  const data = `data:audio/wav;base64,${readFileSync(recordings.wav).toString("base64")}`;
  const create = (index: number) =>
    fetch(`${emulator.url}/api/v1/services/audio/tts/customization`, {
      method: "POST",
      headers: { authorization: `Bearer ${emulator.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "svc-voice-enrollment",
        input: {
          action: "create",
          target_model: "svc3-tts-vc-2026-01-22",
          preferred_name: `n${index}`,
          audio: { data },
        },
      }),
    });
  const replies = await Promise.all(Array.from({ length: 5 }, (_, index) => create(index)));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 429, 429, 429, 429]);
  expect(emulator.summary()).toMatchObject({ voicesBilled: 1 });
});
