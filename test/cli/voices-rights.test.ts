import { csvOfRights } from "../../provider/src/cli/rights";
import type { Emulator } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { fakePulumi } from "../support/fake-pulumi";
import { run as runCommand } from "./command";

/** `voices --rights`: whose voices are where, until when, and on which evidence. */

const secret = (plaintext: string | undefined) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  ...(plaintext === undefined ? { ciphertext: "v1:abc" } : { plaintext: JSON.stringify(plaintext) }),
});
const dayMs = 24 * 3600 * 1000;
let emulator: Emulator;
let voices: string[];
let nowMs: number;
const day = (left: number) => new Date(nowMs + left * dayMs).toISOString().slice(0, 10);

beforeEach(async () => {
  nowMs = Date.parse("2031-05-01T10:00:00Z");
  emulator = await emulate({ now: () => nowMs });
  voices = emulator.seedVoices("default", 4);
});
afterEach(() => jest.restoreAllMocks());

interface Held {
  name: string;
  id: string | undefined;
  rights?: object;
  account?: string;
}

/** A `pulumi` with these stacks in two projects. `readable`: the states can be exported with their secrets. */
function stacks(here: Held[], elsewhere: Held[] = [], { readable = true } = {}): void {
  const exported = (held: Held[]) => {
    const resources = held.map(({ name, id, rights, account }) => ({
      urn: `urn:pulumi:dev::program::cloudvoice:index:CloudVoice::${name}`,
      type: "cloudvoice:index:CloudVoice",
      id,
      inputs: { audio: `audio/${name}.wav`, audioSha256: "abcdef0123", ...(rights && { rights }) },
      outputs: { createdAt: "2020-01-01T00:00:00Z", ...(account && { account }) },
    }));
    return JSON.stringify({ deployment: { resources } });
  };
  const encrypted = (text: string) => text.replaceAll(/"plaintext":"\\"[^"]*\\""/g, '"ciphertext":"v1:abc"');
  const config = { "cloudvoice:baseUrl": { value: emulator.url }, "cloudvoice:apiKey": { value: emulator.apiKey } };
  const other = "organization/other/prod";
  fakePulumi([
    ["stack --show-name", "dev"],
    ["stack export --stack dev --show-secrets", readable ? exported(here) : "no passphrase"],
    ["stack export --stack dev", encrypted(exported(here))],
    [`stack export --stack ${other}`, exported(elsewhere)],
    ["stack ls --json --all", JSON.stringify([{ name: "dev" }, { name: other }])],
    ["config --show-secrets --json --stack dev", JSON.stringify(config)],
  ]);
}

const run = (...args: string[]) => runCommand("voices", "--rights", ...args);
const json = async (...args: string[]) => {
  const { out, code } = await run("--json", ...args);
  return { ...(JSON.parse(out) as { voices: Record<string, unknown>[]; heldByNone: number }), code };
};
const jane = { holder: "Jane Doe", evidence: "file 7" };

test("lists the voices of all stacks with their rights, and those of the account that no stack holds", async () => {
  stacks(
    [
      { name: "narrator", id: voices[0], rights: { ...jane, until: day(10) } },
      { name: "plain", id: voices[1] },
    ],
    [{ name: "gone", id: "svc-gone", rights: { holder: "Bob", evidence: "file 8" }, account: "other-account" }],
  );
  const found = await json();
  expect(found).toMatchObject({ stacks: 2, heldByNone: 2, code: 0 });
  expect(found.voices).toMatchObject([
    { voice: "svc-gone", rights: { holder: "Bob" }, stack: "organization/other/prod", live: "another account" },
    {
      ...{ voice: voices[0], rights: { ...jane, until: day(10) }, stack: "dev", resource: "narrator", live: "yes" },
      ...{ recording: "audio/narrator.wav", sha256: "abcdef0123", ageDays: 0 },
    },
    ...[{ voice: voices[1], resource: "plain" }, { voice: voices[2] }, { voice: voices[3] }],
  ]);
  const { out } = await run();
  expect(out).toMatch(/Jane Doe.*file 7.*2031-05-11.*yes.*dev.*narrator/);
  expect(out).toMatch(/without rights/);
  expect(out).toMatch(/5 voices, 4 in the account\. .*stacks with voices: 2\. 2 voices of the account are in no stack/);
});

test("--holder finds one person's voices in any case of letters, and proves that none is left", async () => {
  const bob = { name: "b", id: voices[1], rights: { holder: "Bob", evidence: "file 8" } };
  stacks([{ name: "a", id: voices[0], rights: jane }, bob], [{ name: "c", id: voices[2], rights: jane }]);
  const found = await json("--holder", "jane");
  expect([found.voices.map(({ voice }) => voice), found.code]).toEqual([[voices[0], voices[2]], 2]);

  stacks([bob]);
  expect(await run("--holder", "jane")).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /^No voice of “jane”, 0 in the account\..*3 voices of the account are in no stack, so their holders are not known: `npx/,
    ) as string,
  });
});

test("--ends-within counts days by the service's time, and those that have ended", async () => {
  const held = [-1, 0, 30, 31].map((left, index) => ({
    ...{ name: `v${index}`, id: voices[index], rights: { ...jane, until: day(left) } },
  }));
  stacks(held);
  expect((await json("--ends-within", "30")).voices.map(({ voice }) => voice)).toEqual(voices.slice(0, 3));
  nowMs += dayMs;
  stacks(held);
  expect((await json("--ends-within", "30")).voices).toHaveLength(4);
  expect((await json("--ends-within", "0")).voices).toHaveLength(2);
});

test("a secret holder is found and never shown, and one that cannot be read is an error", async () => {
  const held = [{ name: "a", id: voices[0], rights: { ...jane, holder: secret("Jane Doe") } }];
  stacks(held);
  for (const form of [[], ["--json"], ["--csv"]]) {
    const { out, beside, code } = await run("--holder", "doe", ...form);
    expect([code, [out, ...beside].join()]).toEqual([2, expect.stringContaining("[secret]")]);
    expect([out, ...beside].join()).not.toContain("Jane");
  }
  stacks(held, [], { readable: false });
  await expect(run("--holder", "doe")).rejects.toThrow(/The rights of 1 voice are secret, and .* not be read: dev\./);
  expect((await json()).voices[0]).toMatchObject({ rights: { holder: "[secret]", evidence: "file 7" } });
});

test("CSV has one line for each voice, and no cell that a spreadsheet calculates", async () => {
  stacks([{ name: "a", id: voices[0], rights: { holder: '=1+1, "x"', evidence: "a,b" } }]);
  const { out, beside, code } = await run("--csv", "--holder", "1");
  const [head, row = ""] = out.split("\r\n");
  expect([head, code]).toEqual([
    "holder,evidence,until,voice,live,stack,resource,recording,sha256,createdAt,ageDays",
    2,
  ]);
  expect(row).toMatch(/^"'=1\+1, ""x""","a,b",,svc-/);
  expect(beside[0]).toMatch(/^1 voice of “1”/);
});

test.each([
  ["behind the separator of other countries", "x;=1+1", "x;'=1+1"],
  ["behind white space and a quotation mark", 'x; "@SUM(1)', "x; \"'@SUM(1)"],
  ["behind a tab", "x\t+1", "x\\u{9}+1"],
  ["behind a bar", "x|-1", "x|'-1"],
  ["with the sign of East Asia", "x;\uff1d1", "x;'\uff1d1"],
  ["behind white space at the beginning", " =1", " '=1"],
  ["in each part", "=1;=2;3", "'=1;'=2;3"],
])("CSV has no formula %s", (_, holder, shown) => {
  const csv = csvOfRights([{ voice: "v", rights: { holder, evidence: "3 - 2 = 1; a-b" }, live: "yes" }]);
  const [, row = ""] = csv.split("\r\n");
  expect(row.replaceAll('""', '"').replace(/^"(.*?)",/, "$1,")).toBe(`${shown},3 - 2 = 1; a-b,,v,yes,,,,,,`);
});

test("a search for one person warns that it does not read old versions of the states", async () => {
  stacks([]);
  const warning =
    "The history and the backups of the states, earlier reviews and the journal may still name this person: docs/rights.md";
  expect((await run("--holder", "jane")).out).toContain(warning);
  expect((await run("--holder", "jane", "--csv")).beside.join()).toContain(warning);
  expect((await run()).out).not.toContain(warning);
});

test.each(["--csv", "--json"])("%s has no line that the runner of a pipeline takes for a command", async (form) => {
  const holder = "::set-output name=approved::true ##[error]x";
  stacks([{ name: "jane", id: voices[0], rights: { holder, evidence: "##vso[task.complete]" } }]);
  const { out } = await run(form);
  expect(out).not.toMatch(/^\s*::|##\w*\[/m);
  expect(out).toContain("set-output name=approved");
});

test.each(["--csv --json", "--orphans", "--adopt", "--prefix a", "--older-than 1"])(
  "%s cannot be combined with --rights",
  async (args) => {
    await expect(run(...args.split(" "))).rejects.toThrow(/cannot be combined with/);
  },
);

test("--holder needs --rights", async () => {
  await expect(runCommand("voices", "--holder", "x")).rejects.toThrow(/need --rights/);
});
