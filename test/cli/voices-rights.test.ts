import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { root } from "../support/files";
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
const day = (left: number) => new Date(Date.now() + left * dayMs).toISOString().slice(0, 10);

beforeEach(async () => {
  emulator = await emulate();
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
  return { ...(JSON.parse(out) as { voices: Record<string, unknown>[] }), code };
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
  expect(found.code).toBe(0);
  expect(found.voices).toMatchObject([
    {
      ...{ voice: voices[0], rights: { ...jane, until: day(10) }, stack: "dev", resource: "narrator", live: "yes" },
      ...{ recording: "audio/narrator.wav", sha256: "abcdef0123", ageDays: 0 },
    },
    { voice: voices[1], resource: "plain" },
    { voice: "svc-gone", rights: { holder: "Bob" }, stack: "organization/other/prod", live: "another account" },
    ...[{ voice: voices[3] }, { voice: voices[2] }],
  ]);
  await expect(run()).rejects.toThrow("--rights needs --json");
});

const page = readFileSync(join(root, "docs", "rights.md"), "utf8");
/** What the lines of the page with `jq` find in the printed JSON. */
async function foundByPage(comment: string): Promise<unknown[]> {
  const [, filter = ""] = new RegExp(`^jq -c '(.*)' \\S+ +# ${comment}`, "m").exec(page) ?? [];
  const { out } = await run("--json");
  const found = execFileSync("jq", ["-c", filter], { input: out, encoding: "utf8" });
  return found.split("\n").flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as { voice: string }).voice]));
}

test("the page's line finds one person's voices in any case of letters, and those whose holder is secret", async () => {
  const bob = { name: "b", id: voices[1], rights: { holder: "Bob", evidence: "file 8" } };
  const hidden = { name: "d", id: voices[3], rights: { ...jane, holder: secret("Jane Doe") } };
  stacks([{ name: "a", id: voices[0], rights: jane }, bob, hidden], [{ name: "c", id: voices[2], rights: jane }]);
  expect((await foundByPage("one person")).sort()).toEqual([voices[0], voices[2], voices[3]].sort());
  stacks([bob]);
  expect(await foundByPage("one person")).toEqual([]);
});

test("the page's line finds the rights that end within 60 days, and those that have ended", async () => {
  const held = [-1, 0, 59, 62].map((left, index) => ({
    ...{ name: `v${index}`, id: voices[index], rights: { ...jane, until: day(left) } },
  }));
  stacks([...held, { name: "no-end", id: "svc-no-end", rights: jane }]);
  expect(await foundByPage("rights that end")).toEqual(voices.slice(0, 3));
});

test("a secret holder is not shown, whether or not the secrets of the stack can be read", async () => {
  for (const readable of [true, false]) {
    stacks([{ name: "a", id: voices[0], rights: { ...jane, holder: secret("Jane Doe") } }], [], { readable });
    expect((await json()).voices).toContainEqual(
      expect.objectContaining({ voice: voices[0], rights: { holder: "[secret]", evidence: "file 7" } }),
    );
    const { out, beside } = await run("--json");
    expect([out, ...beside].join()).toContain("[secret]");
    expect([out, ...beside].join()).not.toContain("Jane");
  }
});

test("the JSON has no line that the runner of a pipeline takes for a command", async () => {
  const holder = "::set-output name=approved::true ##[error]x";
  stacks([{ name: "jane", id: voices[0], rights: { holder, evidence: "##vso[task.complete]" } }]);
  const { out } = await run("--json");
  expect(out).not.toMatch(/^\s*::|##\w*\[/m);
  expect(out).toContain("set-output name=approved");
});

test.each(["--orphans", "--adopt", "--prefix a"])("%s cannot be combined with --rights", async (args) => {
  await expect(run("--json", ...args.split(" "))).rejects.toThrow(/cannot be combined with/);
});
