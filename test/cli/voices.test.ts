import { PassThrough, Writable } from "node:stream";
import { adoptingEntries } from "../../provider/src/cli/voices";
import { confirmDeletion, deletionOf } from "../../provider/src/cli/delete";
import { selectVoices, type ShownVoice } from "../../provider/src/cli/listing";
import type { Review } from "../../provider/src/cli/review/review";
import { journalOf } from "../../provider/src/cli/stack";
import { systemClock } from "../../provider/src/service/clock";
import { generateName } from "../../provider/src/rules/naming";
import { readSettings } from "../../provider/src/rules/settings";
import type { Emulator } from "../../provider/emulator";
import { emulate, voicesIn } from "../support/emulate";
import { fakePulumi } from "../support/fake-pulumi";
import { temporaryFolder } from "../support/files";
import { connected } from "../support/service";
import { run } from "./command";

const targetModel = "svc3-tts-vc-2026-01-22";
const nowMs = Date.parse("2026-11-21T12:00:00Z");
const voiceOf = (name: string, suffix = "beef") => `svc-tts-vc-${name}-voice-20261111120000000-${suffix}`;
const listed = (name: string, createdAt?: string) => ({ voice: voiceOf(name), targetModel, createdAt });
const row = (name: string, suffix?: string): ShownVoice => ({
  voice: voiceOf(name, suffix),
  name,
  targetModel,
  createdAt: "2026-11-11T12:00:00Z",
});

/** What the command prints as JSON. */
const shown = async (...args: string[]) => JSON.parse((await run(...args, "--json")).out) as Review;

afterEach(() => jest.restoreAllMocks());

const ownUrn = "urn:pulumi:dev::app::pulumi-nodejs:dynamic/cloudvoice:CloudVoice::a";
const content = { targetModel, audio: "https://example.com/a.wav" };
const generated = generateName({ namespace: "acme", urn: ownUrn }, content);
const configOf = ({ url, apiKey }: Emulator) =>
  JSON.stringify({
    "cloudvoice:baseUrl": { value: url },
    "cloudvoice:apiKey": { value: apiKey },
    "cloudvoice:namespace": { value: "acme" },
  });
/** A state that holds these voices, or only reads them. */
const stateOf = (voices: string[], external = false) => {
  const type = "cloudvoice:index:CloudVoice";
  const resource = { urn: `urn:pulumi:dev::app::${type}::a`, type, external };
  const outputs = { ...content, preferredName: generated, nameVersion: 2 };
  return JSON.stringify({ deployment: { resources: voices.map((id) => ({ ...resource, id, outputs })) } });
};

describe("with a stack", () => {
  /** A `pulumi` that answers as for the selected stack `dev`, with these voices in its state and in another project's. */
  function fakeStacks(
    emulator: Emulator,
    { here = [], elsewhere = [], read = [] }: Record<string, string[]> = {},
  ): void {
    const [other, reader] = ["organization/other/dev", "reader"];
    fakePulumi([
      ["stack --show-name", "dev"],
      [`stack export --stack ${other}`, stateOf(elsewhere)],
      [`stack export --stack ${reader}`, stateOf(read, true)],
      ["stack export --stack dev", stateOf(here)],
      ["stack ls --json --all", JSON.stringify([{ name: "dev" }, { name: reader }, { name: other }])],
      ["config --show-secrets --json --stack dev", configOf(emulator)],
    ]);
  }

  test.each([
    ["delete", (voice: string) => ["delete", voice, "--yes"]],
    ["delete --orphans", () => ["delete", "--orphans", "--yes"]],
  ])("%s deletes it, and nothing else", async (_, args) => {
    const emulator = await emulate();
    const [held = "", orphan = ""] = emulator.seedVoices("default", 2, { preferredName: generated });
    fakeStacks(emulator, { here: [held] });
    await run(...args(orphan));
    expect(voicesIn(emulator)).toEqual([held]);
  });

  test("delete reports that no voice matches", async () => {
    const emulator = await emulate();
    emulator.seedVoices("default", 1);
    fakeStacks(emulator);
    const none = await run("delete", "--prefix", "narr", "--yes");
    expect(none.beside).toEqual(["No voice matches --prefix narr."]);
    const unheld = await run("delete", "--orphans", "--yes");
    expect(unheld.beside).toEqual(["No voice matches --orphans."]);
    expect(emulator.voices()).toHaveLength(1);
  });

  test("delete goes on where one fails, and says which", async () => {
    const emulator = await emulate({ faults: [{ kind: "500", on: ["delete"], times: 1 }] });
    emulator.seedVoices("default", 2);
    fakeStacks(emulator);
    Object.assign(process.env, { CLOUDVOICE_MAX_RETRIES: "0", CLOUDVOICE_SETTLE_SECONDS: "0" });
    const { beside } = await run("delete", "--prefix", "by_hand", "--yes");
    expect(beside).toEqual([
      expect.stringMatching(/^not deleted: .*HTTP 500/),
      expect.stringContaining("1 voice deleted."),
    ]);
    expect(emulator.voices()).toHaveLength(1);
  });

  test("voices names the resource and the stack that hold each voice, and lists them also without states", async () => {
    const emulator = await emulate();
    const [own = "", moved = "", free = ""] = emulator.seedVoices("default", 3, { preferredName: generated });
    fakeStacks(emulator, { here: [own], elsewhere: [moved] });
    const { voices } = (await shown("voices")) as unknown as { voices: ShownVoice[] };
    expect(Object.fromEntries(voices.map(({ voice, heldBy }) => [voice, heldBy]))).toEqual({
      [own]: "a of the stack dev",
      [moved]: "a of the stack organization/other/dev",
      [free]: "no stack of the backend",
    });
    const { out } = await run("voices");
    expect(out).toMatch(/held by/);

    fakePulumi([
      ["stack --show-name", "dev"],
      ["config --show-secrets --json --stack dev", configOf(emulator)],
    ]);
    const unread = await run("voices");
    expect(unread.beside.join()).toMatch(/^The resources of the voices are not shown: /);
    expect(unread.out).toContain("3 of 1000 voices in the account");
  });

  test("a voice that a stack of another project holds, or only reads, is no orphan", async () => {
    const emulator = await emulate();
    const [own = "", moved = "", read = ""] = emulator.seedVoices("default", 3, { preferredName: generated });
    fakeStacks(emulator, { here: [own], elsewhere: [moved], read: [read] });
    expect(await shown("voices", "--orphans")).toMatchObject({ voices: [] });

    fakeStacks(emulator, { here: [own], read: [read] });
    expect(await shown("voices", "--orphans")).toMatchObject({ voices: [{ voice: moved }] });
  });
});

describe("with acme/app/dev and beta/app/dev on one account, acme being the default organization", () => {
  const names = ["acme/app/dev", "beta/app/dev", "beta/other/dev"];

  /** Each stack holds one voice. The account has one more, which a killed run left. Returns the voices and the calls. */
  async function setUp(unreadable = "") {
    const emulator = await emulate();
    const voices = emulator.seedVoices("default", 4, { preferredName: generated });
    const list = (all: string[]) => JSON.stringify(all.map((name) => ({ name })));
    const exports = names.map((name, index) => ({ name, state: stateOf([voices[index] ?? ""]) }));
    const calls = fakePulumi([
      ["stack --show-name --fully-qualify-stack-names --stack dev", "acme/app/dev"],
      ["stack --show-name --fully-qualify-stack-names --stack beta/dev", "beta/app/dev"],
      ["stack --show-name --fully-qualify-stack-names", "beta/app/dev"],
      ["config --show-secrets --json --stack", configOf(emulator)],
      ...exports
        .filter(({ name }) => name !== unreadable)
        .map(({ name, state }): [string, string] => [`stack export --stack ${name}`, state]),
      ["stack ls --json --project app --fully-qualify-stack-names", list(names.slice(0, 2))],
      ["stack ls --json --all --fully-qualify-stack-names", list(names)],
    ]);
    return { emulator, voices, calls };
  }

  test.each(["beta/dev", "beta/app/dev", "dev", undefined])(
    "with --stack %s, only the voice that no stack holds is an orphan",
    async (stack) => {
      const { emulator, voices } = await setUp();
      await run("delete", "--orphans", "--yes", ...(stack === undefined ? [] : ["--stack", stack]));
      expect(voicesIn(emulator)).toEqual(voices.slice(0, 3).sort());
    },
  );

  test("delete refuses what a stack of any organization or project holds, and what does not exist", async () => {
    const { emulator, voices } = await setUp();
    const { beside } = await run("delete", ...voices, "none", voices[3] ?? "", "--yes", "--stack", "beta/dev");
    expect(voicesIn(emulator)).toEqual(voices.slice(0, 3).sort());
    const refused = names.map(
      (name, index) => `refused: ${voices[index] ?? ""}: the resource a of the stack ${name} holds it`,
    );
    const unknown = "refused: none: the account has no voice none";
    expect(beside).toEqual([...refused, unknown, "1 voice deleted."]);
  });

  test.each([
    ["delete", "--prefix", generated, "--yes"],
    ["delete", "--orphans", "--yes"],
  ])("%s deletes nothing if the state of a stack cannot be read", async (...args) => {
    const { emulator } = await setUp("beta/other/dev");
    await expect(run(...args)).rejects.toThrow("stack export --stack beta/other/dev");
    expect(emulator.voices()).toHaveLength(4);
  });
});

describe("selectVoices", () => {
  const account = [listed("new", "2026-11-21T11:00:00Z"), listed("old", "2026-11-11T12:00:00Z"), listed("odd")];

  test.each<[string, Parameters<typeof selectVoices>[1], string[]]>([
    ["everything, the oldest first", {}, ["odd", "old", "new"]],
    ["by prefix", { prefix: "o" }, ["odd", "old"]],
  ])("selects %s", (_, selection, names) => {
    expect(selectVoices(account, selection, nowMs).map(({ name }) => name)).toEqual(names);
  });
});

describe("confirmDeletion", () => {
  const terminal = (answer: string) => {
    const stream = Object.assign(new PassThrough(), { isTTY: true });
    stream.end(answer);
    return stream as unknown as typeof process.stdin;
  };
  test.each([
    ["y\n", true],
    ["Yes\n", true],
    ["n\n", false],
    ["\n", false],
    ["why?\n", false],
    // The input ends without an answer.
    ["", false],
  ])("shows the voices and asks; the answer %j means %j", async (answer, confirmed) => {
    let text = "";
    const screen = new Writable({ write: (chunk, _, done) => ((text += String(chunk)), done()) });
    expect(await confirmDeletion([row("a")], false, terminal(answer), screen)).toBe(confirmed);
    expect(text).toMatch(/svc-tts-vc-a-voice[^]*Delete 1 voice\? This cannot be undone\. \[y\/N\]/);
  });

  test("asks nothing with --yes, and refuses without a terminal", async () => {
    const pipe = new PassThrough() as unknown as typeof process.stdin;
    expect(await confirmDeletion([row("a")], true, pipe)).toBe(true);
    await expect(confirmDeletion([row("a")], false, pipe)).rejects.toThrow(
      /not a terminal\. To confirm in advance, add --yes/,
    );
  });
});

test("the notes of a deleted voice go too, whatever its name: a create must not use it while the list is late", async () => {
  const emulator = await emulate();
  const [voice = "", other = ""] = emulator.seedVoices("default", 2);
  fakePulumi([["stack ls --json", "[]"]]);
  const { apiKey } = emulator;
  const settings = { ...readSettings(() => undefined), apiKey, journal: temporaryFolder(), settleMs: 0 };
  const journal = () => journalOf(settings, systemClock, () => undefined);
  const [key, otherKey] = [journal().keyOf("a"), journal().keyOf("b")];
  await journal().write(key, { sentAtMs: 1, label: "narrator", before: [], id: voice });
  await journal().write(otherKey, { sentAtMs: 1, label: "guide", before: [], id: other });
  await deletionOf(connected(emulator), settings, undefined, [{ ...row("by_hand"), voice }])(voice);
  expect(await journal().find(key)).toBeUndefined();
  expect(await journal().find(otherKey)).toMatchObject({ id: other });
});

test("a voice that an update has taken while a person was asked is not deleted", async () => {
  const emulator = await emulate();
  const [voice = "", free = ""] = emulator.seedVoices("default", 2);
  const urn = "urn:pulumi:dev::p::cloudvoice:index:CloudVoice::narrator";
  const holder = { urn, type: "cloudvoice:index:CloudVoice", id: voice };
  const asked = fakePulumi([
    ["stack ls --json", JSON.stringify([{ name: "organization/p/dev" }])],
    ["stack export", JSON.stringify({ deployment: { resources: [holder] } })],
  ]);
  const { apiKey } = emulator;
  const settings = { ...readSettings(() => undefined), apiKey, journal: temporaryFolder(), settleMs: 0 };
  const rows = [voice, free].map((each) => ({ ...row("by_hand"), voice: each }));
  const remove = deletionOf(connected(emulator), settings, "organization/p/dev", rows);
  await expect(remove(voice)).rejects.toThrow(/^the resource narrator of the stack organization\/p\/dev holds it now$/);
  await remove(free);
  expect(voicesIn(emulator)).toEqual([voice]);
  expect(asked().filter((line) => line.startsWith("stack export"))).not.toEqual([]);
});

describe("the entries that adopt voices", () => {
  const entriesOf = (...rows: ShownVoice[]) => JSON.parse(adoptingEntries(rows)) as Record<string, object>;

  test("are one for each voice, with keys of their own", () => {
    expect(entriesOf(row("jingle"), row("by_hand"), row("by_hand", "cafe"))).toEqual({
      by_hand: { targetModel, audio: "audio/by_hand.wav", adopt: voiceOf("by_hand") },
      by_hand_2: { targetModel, audio: "audio/by_hand_2.wav", adopt: voiceOf("by_hand", "cafe") },
      jingle: { targetModel, audio: "audio/jingle.wav", adopt: voiceOf("jingle") },
    });
  });

  test.each(["__proto__", "toString", "constructor"])("have another key for a voice named %s", (name) => {
    expect(entriesOf(row(name))).toEqual({
      [`${name}_2`]: { targetModel, audio: `audio/${name}_2.wav`, adopt: voiceOf(name) },
    });
  });

  test("keep what a name contains, and print no control character", () => {
    const odd = { ...row("x"), voice: 'svc"\u001b[31m\u2028\n', name: "" };
    for (const sign of ["\u001b", "\u2028"]) expect(adoptingEntries([odd])).not.toContain(sign);
    expect(entriesOf(odd)).toEqual({ voice: { targetModel, audio: "audio/voice.wav", adopt: odd.voice } });
  });
});
