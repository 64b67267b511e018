import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../../provider/emulator";
import { sha256Of } from "../../provider/src/files";
import type { SetInputs } from "../../provider/src/rules/voice-set";
import { setReader } from "../simulation/set-engine";
import { emulate, voicesIn } from "../support/emulate";
import { recordings, temporaryFolder } from "../support/files";
import { many, SimulatedSet, unreadStates, url } from "../support/simulated-set";

/** `VoiceSet`: one resource with many voices. */

let emulator: Emulator;
async function setUp(settings: Record<string, string> = {}, options: Parameters<typeof emulate>[0] = {}) {
  emulator = await emulate(options);
  return new SimulatedSet(emulator, settings);
}
const account = () => voicesIn(emulator);
const billed = () => emulator.summary().voicesBilled;

function expectWhole(set: SimulatedSet, count: number) {
  expect(Object.values(set.held()).sort()).toEqual(account());
  expect(account()).toHaveLength(count);
}

test("entries are added, changed, removed and renamed, each alone, and nothing is to be done afterwards", async () => {
  const set = await setUp();
  await set.ok(set.up(many(3)));
  expectWhole(set, 3);
  expect(await set.ok(set.preview(many(3)))).toMatchObject({ changes: [] });
  const before = set.held();

  const program = { v0: url("other"), evening: url("2"), "a b": url("new") };
  const { changes } = await set.ok(set.up(program));
  expect(changes).toEqual(["~ voices.v0.audio", "+ voices.evening", '+ voices["a b"]', "- voices.v1", "- voices.v2"]);
  expectWhole(set, 3);
  expect(set.held()).toMatchObject({ evening: before.v2 });
  expect(billed()).toBe(5);
  expect(await set.ok(set.preview(program))).toMatchObject({ changes: [] });
  await set.ok(set.destroy());
  expect(account()).toEqual([]);
});

test("all problems are reported at once, each with its key, and what the defaults have wrong once", async () => {
  const set = await setUp();
  const { error: place } = await set.up({ a: { audio: "none.wav" }, b: url("b") }, { defaults: { language: "xx" } });
  expect(place).toMatch(/voices\.a\.audio .*"none\.wav" does not exist/);
  expect(place?.match(/language is "xx"/g)).toHaveLength(1);
  const { error } = await set.up({
    a: { audio: "" },
    "b c": { ...url("b"), language: "xx" },
    d: { ...url("d"), lnguage: "en" },
  });
  expect(error).toMatch(/voices\.a\.audio /);
  expect(error).toMatch(/voices\["b c"\]\.language is "xx"/);
  expect(error).toMatch(/voices\.d: `lnguage` is not an input of CloudVoice/);
  const { error: shape } = await set.up(["x"] as never, { keepRemoved: "yes" as never });
  expect(shape).toMatch(/voices must be an object of voices/);
  expect(shape).toMatch(/keepRemoved must be true or false/);
  expect(billed()).toBe(0);
});

test("if some entries fail, all others are saved, the error lists the failed ones, and the next update goes on with them", async () => {
  const set = await setUp();
  await set.ok(set.up(many(4)));
  const before = set.held();
  emulator.setFaults([{ kind: "500", on: ["create"], times: 2 }]);
  const { error } = await set.up(many(4, "b"));
  expect(error).toMatch(/voices\.v\d: .*; voices\.v\d: /);
  const kept = Object.entries(set.held()).filter(([key, voice]) => before[key] === voice);
  expect(kept).toHaveLength(2);
  expectWhole(set, 4);
  emulator.setFaults([]);
  const { changes } = await set.ok(set.up(many(4, "b")));
  expect(changes).toHaveLength(2);
  expectWhole(set, 4);
  expect(billed()).toBe(8);
});

test("a set that takes long says every ten seconds how many voices there are", async () => {
  const set = await setUp();
  emulator.setFaults([{ kind: "429", on: ["create"], times: 12 }]);
  const { log } = await set.ok(set.up(many(12)));
  expect(log).toMatch(/voices: \d of 12 voices after \d{2} s/);
  expect(log).toMatch(/voices: 12 of 12 voices after \d{2} s/);
  expectWhole(set, 12);
});

test("the quota is judged once for the whole set, and in a full account old voices go first", async () => {
  const set = await setUp({ voiceQuota: "5" }, { voiceQuota: 5 });
  const { error } = await set.preview(many(6));
  expect(error.match(/the account is too small/g)).toHaveLength(1);
  expect(error).toMatch(/needs 6 at its peak/);
  await set.ok(set.up(many(5)));
  const all = await set.ok(set.preview(many(5, "b")));
  expect(all.log).toMatch(
    /5 of 5 old voices are deleted before new voices are created, and 5 of these are replaced one at a time/,
  );
  await set.ok(set.up(many(5, "b")));
  expectWhole(set, 5);
  // A removed entry makes room first.
  const { v0: _, ...four } = many(5, "b");
  await set.ok(set.up({ ...four, w: url("w") }));
  expectWhole(set, 5);
  expect(billed()).toBe(11);
});

test("keepRemoved leaves the voices of removed and replaced entries in the account, and names them", async () => {
  const set = await setUp();
  await set.ok(set.up(many(3)));
  const { v0, v1 } = set.held();
  const { log } = await set.ok(set.up({ v1: url("other"), v2: url("2") }, { keepRemoved: true }));
  for (const voice of [v0, v1]) expect(log).toContain(`the voice ${voice} of voices.`);
  expect(account()).toHaveLength(4);
  expect(account()).toEqual(expect.arrayContaining([v0, v1]));
});

test("a voice that was deleted outside Pulumi is missing in one entry only, and made again alone", async () => {
  const set = await setUp();
  await set.ok(set.up(many(3)));
  const { v1, ...others } = set.held();
  emulator.vanish("default", String(v1));
  await set.ok(set.refresh());
  expect(set.held()).toEqual(others);
  expect(await set.ok(set.up(many(3)))).toMatchObject({ changes: ["+ voices.v1"] });
  expect(set.held()).toMatchObject(others);
  expectWhole(set, 3);
  expect(billed()).toBe(4);
});

for (const evidence of ["the journal", "the pending operation"] as const) {
  test.each([0, 1, 3, 5])(
    `killed after %i requests, and run again with the same program: each is paid once (by ${evidence})`,
    async (killedAfter) => {
      const set = await setUp();
      await set.ok(set.up(many(3)));
      expect((await set.up(many(3, "b"), { killedAfter })).error).toBe("killed");
      if (evidence === "the journal") set.pending = [];
      else set.notes.clear();
      await set.ok(set.up(many(3, "b")));
      expectWhole(set, 3);
      expect(billed()).toBe(6);
      expect(await set.ok(set.preview(many(3, "b")))).toMatchObject({ changes: [] });
    },
  );

  test.each([0, 1, 3, 4, 6])(
    `killed after %i requests, and reverted: the state names what exists, and nothing is left (by ${evidence})`,
    async (killedAfter) => {
      const set = await setUp();
      await set.ok(set.up(many(3)));
      expect((await set.up({ v0: url("0"), v1: url("1b"), w: url("w") }, { killedAfter })).error).toBe("killed");
      if (evidence === "the journal") set.pending = [];
      else set.notes.clear();
      await set.ok(set.up(many(3)));
      expectWhole(set, 3);
      // Once it is cleared up, nothing is to be done.
      const calls = emulator.ledger().length;
      await set.ok(set.up(many(3)));
      expect(emulator.summary(undefined, calls).calls).not.toHaveProperty("create");
    },
  );
}

test("a set whose create was killed is paid once", async () => {
  const set = await setUp();
  await set.up(many(4), { killedAfter: 2 });
  expect(account()).toHaveLength(2);
  await set.ok(set.up(many(4)));
  expectWhole(set, 4);
  expect(billed()).toBe(4);
});

test("killed while a voice is made again under a new key, and then not wanted: nothing is left", async () => {
  const set = await setUp();
  await set.ok(set.up({ d: url("5") }));
  // The new voice is made, and the old one deleted.
  await set.up({ e: url("1") }, { killedAfter: 2 });
  await set.up({ a: url("5") }, { killedAfter: 1 });
  expect(account()).toHaveLength(2);
  await set.ok(set.up({ b: url("0") }));
  expectWhole(set, 1);
});

test("a voice that keepRemoved left, and that a killed update was about to reuse, stays", async () => {
  const set = await setUp();
  await set.ok(set.up({ a: url("0"), b: url("1") }));
  const { b: left } = set.held();
  await set.ok(set.up({ a: url("0") }, { keepRemoved: true }));
  await set.up({ a: url("0b"), b: url("1") }, { killedAfter: 0 });
  await set.ok(set.up({ a: url("0") }));
  expect(account()).toContain(left);
  expect(account()).toHaveLength(2);
});

test("what a killed update has left stays, with its name, while the states can't be read: another stack may hold it", async () => {
  const set = await setUp();
  await set.ok(set.up({ a: url("0") }));
  await set.up({ a: url("0"), b: url("1") }, { killedAfter: 1 });
  const [left = ""] = account().filter((voice) => voice !== set.held().a);
  const { log } = await set.ok(set.up({ a: url("0") }, { parts: { states: unreadStates } }));
  expect(account()).toContain(left);
  expect(log).toContain(`${left}: not deleted, because states can't be read`);
});

test("a voice that stays is no room for others", async () => {
  const set = await setUp({ voiceQuota: "3" }, { voiceQuota: 3 });
  await set.ok(set.up({ a: url("0"), b: url("1") }));
  await set.ok(set.up({ a: url("0") }, { keepRemoved: true }));
  await set.up({ a: url("0b"), b: url("1") }, { killedAfter: 0 });
  const { error } = await set.preview({ a: url("0"), c: url("2"), d: url("3") });
  expect(error).toMatch(/needs 4 at its peak; the quota is 3/);
});

test("a destroy whose end the engine did not save is found by the next update, and one of another instance is not", async () => {
  const set = await setUp();
  await set.ok(set.up(many(2)));
  const old = structuredClone(set.saved);
  await set.ok(set.destroy());
  set.saved = structuredClone(old);
  await set.ok(set.up(many(2)));
  expectWhole(set, 2);
  expect(billed()).toBe(4);

  // As --replace does: the new set is made, and then the old one goes.
  const replaced = set.saved;
  set.saved = undefined;
  await set.ok(set.up(many(2, "b")));
  const made = structuredClone(set.saved) as typeof old;
  set.saved = replaced;
  await set.ok(set.destroy());
  set.saved = made;
  const { updates } = made?.outputs ?? {};
  await set.ok(set.up(many(2, "b")));
  expect(set.saved?.outputs.updates).toBe(updates);
  expectWhole(set, 2);
});

describe("a set that replaces itself (`--replace`)", () => {
  /** The engine creates the new set without the old state, which the backend still has. */
  async function replaced(set: SimulatedSet, voices: SetInputs["voices"]) {
    const state = (stack: string, saved = set.others[stack]) => ({ urn: set.urn(stack), saved });
    const states = { "organization/p/dev": state("dev", set.saved), "organization/p/copied": state("copied") };
    set.saved = undefined;
    await set.ok(set.up(voices, { parts: { states: setReader(() => states) } }));
  }

  test("keeps adopted voices, voices of other keys, and those from before the set got another name", async () => {
    const set = await setUp();
    const [adopt = ""] = emulator.seedVoices("default", 1);
    await set.ok(set.up({ taken: { ...url("x"), adopt }, a: url("0"), b: url("1"), c: url("2") }));
    const before = set.held();
    set.name = "speakers";
    await set.ok(set.up({ taken: url("x"), a: url("0"), b: url("1"), c: url("2") }));
    await replaced(set, { taken: url("x"), a: url("0"), renamed: url("1"), c: url("2b") });
    expect(set.held()).toMatchObject({ taken: adopt, a: before.a, renamed: before.b });
    expect(set.saved?.outputs.voices.taken).toMatchObject({ adopted: true });
    expect(billed()).toBe(4);
    // The engine deletes the old set after this create.
    expect(account()).toContain(before.c);
  });

  test("adopts again what an entry still adopts", async () => {
    const set = await setUp();
    const [adopt = ""] = emulator.seedVoices("default", 1);
    await set.ok(set.up({ taken: { ...url("x"), adopt } }));
    await replaced(set, { taken: { ...url("x"), adopt } });
    expect(set.held()).toEqual({ taken: adopt });
    expect(billed()).toBe(0);
  });

  test.each<[what: string, lose: (set: SimulatedSet, voice: string) => unknown]>([
    ["that the account lacks", (_, voice) => emulator.vanish("default", voice)],
    ["that belongs to another stack", (set) => Object.assign(set.others, { copied: structuredClone(set.saved) })],
  ])("does not keep a voice %s", async (_, lose) => {
    const set = await setUp();
    await set.ok(set.up({ a: url("0") }));
    const { a = "" } = set.held();
    set.name = "speakers";
    await set.ok(set.up({ a: url("0") }));
    lose(set, a);
    await replaced(set, { a: url("0") });
    expect(set.held()).not.toEqual({ a });
    expect(billed()).toBe(2);
  });
});

test("an entry adopts, and a lost response is paid once", async () => {
  const set = await setUp();
  const [adopt = ""] = emulator.seedVoices("default", 1);
  emulator.setFaults([{ kind: "reset-after", on: ["create"], times: 1 }]);
  await set.ok(set.up({ ...many(2), taken: { ...url("x"), adopt } }));
  expect(set.held()).toMatchObject({ taken: adopt });
  expect(set.saved?.outputs.voices.taken).toMatchObject({ adopted: true });
  expectWhole(set, 3);
  expect(billed()).toBe(2);
  expect(await set.ok(set.preview({ ...many(2), taken: { ...url("x"), adopt } }))).toMatchObject({ changes: [] });
});

test("ignoreChanges of an entry's audio keeps its voice", async () => {
  const set = await setUp();
  await set.ok(set.up(many(2)));
  const ignored = ['voices["v0"].audio'];
  expect(await set.ok(set.preview({ ...many(2), v0: url("0b") }, { ignored }))).toMatchObject({ changes: [] });
  expect(await set.ok(set.preview({ ...many(2), v0: url("0b") }))).toMatchObject({ changes: ["~ voices.v0.audio"] });
});

test("ignoreChanges of a recording's hash does not stop a replacement for another reason", async () => {
  const set = await setUp();
  await set.ok(set.up({ v0: { audio: recordings.wav } }));
  const { audioSha256 } = set.saved?.outputs.voices.v0 as { audioSha256?: string };
  expect(audioSha256).toMatch(/^[0-9a-f]{64}$/);
  // The engine has put the saved hash into the inputs.
  const entry = { audio: recordings.wav, audioSha256, language: "de" };
  const { changes } = await set.ok(set.up({ v0: entry }, { ignored: ["voices.v0.audioSha256"] }));
  expect(changes).toEqual(["+ voices.v0.language"]);
  expect(billed()).toBe(2);
  expectWhole(set, 1);
});

test("a replacement of an entry whose recording is ignored uses the recording that the program has now", async () => {
  const set = await setUp();
  const audio = join(temporaryFolder(), "narrator");
  copyFileSync(recordings.mp3, audio);
  await set.ok(set.up({ v0: { audio } }));
  copyFileSync(recordings.otherMp3, audio);
  const ignored = ["voices.v0.audio"];
  expect(await set.ok(set.preview({ v0: { audio } }, { ignored }))).toMatchObject({ changes: [] });
  const program = { v0: { audio, language: "de" } };
  await set.ok(set.up(program, { ignored }));
  expect(set.saved?.outputs.voices.v0).toMatchObject({ audioSha256: sha256Of(readFileSync(recordings.otherMp3)) });
  expect(billed()).toBe(2);
  expectWhole(set, 1);
  expect(await set.ok(set.preview(program, { ignored }))).toMatchObject({ changes: [] });
});

test.each<[string, (state: Record<string, unknown>) => void]>([
  ["voices", (state) => (state.voices = "a, b")],
  ["voices.v0.voice", (state) => Object.assign(state.voices as object, { v0: { voice: " " } })],
  ["made.v0", (state) => Object.assign(state.made as object, { v0: null })],
])("a state that is damaged in %s is an error, and no voice is deleted or forgotten", async (where, damage) => {
  const set = await setUp();
  await set.ok(set.up(many(2)));
  damage(set.saved?.outputs as unknown as Record<string, unknown>);
  const damaged = JSON.stringify(set.saved);
  for (const run of [() => set.destroy(), () => set.refresh(), () => set.preview(many(2)), () => set.up(many(1))]) {
    expect((await run()).error).toContain(`the saved state of this VoiceSet is damaged in ${where}. `);
    expect(JSON.stringify(set.saved)).toBe(damaged);
  }
  expect(account()).toHaveLength(2);
});

describe("a voice that nothing shows to be of the set", () => {
  const somebodys = () => emulator.seedVoices("default", 1, { preferredName: "boss_1234567" })[0] ?? "";
  const model = "svc3-tts-vc-2026-01-22";

  test.each([
    ["that a state calls a replaced one", "update", {}],
    ["that a state calls a replaced and adopted one", "update", { adopted: true }],
    ["that a state calls a replaced one of another key", "destroy", { namedAs: "voices.b" }],
  ])("%s stays, and is named (%s)", async (_, operation, changes) => {
    const set = await setUp();
    await set.ok(set.up({ a: url("0") }));
    const theirs = somebodys();
    const state = { ...url("0"), targetModel: model, voice: theirs, preferredName: "boss_1234567", nameVersion: 1 };
    const old = { key: "a", state: { ...state, degraded: false, adopted: false, account: "", ...changes } };
    Object.assign(set.saved?.outputs ?? {}, { superseded: [old] });
    expect((await set.preview({ a: url("0") })).changes).toEqual(["- superseded[0]"]);
    const { log } = await set.ok(operation === "update" ? set.up({ a: url("0") }) : set.destroy());
    expect(account()).toContain(theirs);
    expect(log).toMatch(new RegExp(`${theirs}.* stays in the account: its name does not show that voices.a made it`));
    expect((await set.preview({ a: url("0") })).changes).toEqual([]);
  });

  test.each(["updating", "deleting"] as const)("that a pending operation (%s) names, stays", async (type) => {
    const set = await setUp();
    await set.ok(set.up({ a: url("0") }));
    const theirs = somebodys();
    const inputs = {
      voices: { b: { ...url("1"), targetModel: model, preferredName: "boss_1234567", nameVersion: 1 } },
    };
    const outputs = set.saved?.outputs ?? {};
    set.pending = [{ type: type, inputs, outputs }];
    const { log } = await set.ok(set.up({ a: url("0") }));
    expect(account()).toContain(theirs);
    if (type === "updating") expect(log).toContain("a pending operation names the voice boss_1234567 for voices.b");
  });
});

test("a replaced voice of an entry that had another key is still the set's", async () => {
  const set = await setUp();
  await set.ok(set.up({ a: url("0") }));
  await set.ok(set.up({ b: url("0") }));
  emulator.setFaults([{ kind: "500", on: ["delete"] }]);
  await set.up({ b: url("1") });
  emulator.setFaults([]);
  const { changes } = await set.preview({ b: url("1") });
  expect(changes).toEqual(["- superseded[0]"]);
  await set.ok(set.up({ b: url("1") }));
  expectWhole(set, 1);
});

test("a preview after a killed update lists what the next one deletes", async () => {
  const set = await setUp();
  await set.ok(set.up({ a: url("0") }));
  await set.up({ a: url("0"), b: url("1"), c: url("2") }, { killedAfter: 2 });
  const left = account().filter((voice) => voice !== set.held().a);
  const { changes } = await set.ok(set.preview({ a: url("0") }));
  expect(changes.sort()).toEqual(left.map((voice) => `- leftBehind[${JSON.stringify(voice)}]`).sort());
  // What the program wants is no loss. The entries get the voices that were left.
  const wanted = await set.ok(set.preview({ a: url("0"), b: url("1"), c: url("2") }));
  const recovered = left.map((voice) => `+ recovered.${voice.includes("-b_") ? "b" : "c"}["${voice}"]`);
  expect(wanted.changes.sort()).toEqual(["+ voices.b", "+ voices.c", ...recovered].sort());
  await set.ok(set.up({ a: url("0") }));
  expectWhole(set, 1);
});

test("two entries can't have one voice: neither adopt it both, nor adopt what another one keeps", async () => {
  const set = await setUp();
  const [voice = ""] = emulator.seedVoices("default", 1, { preferredName: "by_hand" });
  const { error } = await set.preview({ a: { ...url("0"), adopt: voice }, b: { ...url("1"), adopt: voice } });
  expect(error).toMatch(/voices\.b\.adopt is the voice of the entry a too, and two entries can't share one/);
  await set.ok(set.up({ a: { ...url("0"), adopt: voice } }));
  const kept = await set.preview({ a: url("0"), b: { ...url("1"), adopt: voice } });
  expect(kept.error).toMatch(/belongs to another resource of this stack; two resources can't share a voice/);
  // A removed entry gives its voice up.
  await set.ok(set.up({ b: { ...url("1"), adopt: voice } }));
  expect(set.held()).toEqual({ b: voice });
  expect(account()).toEqual([voice]);
});
