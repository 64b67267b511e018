import { driftOf, driftText, hasDrift, type Drift } from "../../provider/src/cli/review/drift";
import { generateName } from "../../provider/src/rules/naming";
import type { VoiceHolder } from "../../provider/src/voices/holder";
import { holder, targetModel, urnOf } from "../support/review-steps";

/** How the state of a stack and the account differ, whatever the program declares: `review --drift`. */

const madeFrom = { targetModel, audio: "https://example.com/a.wav" };
const nameOf = (name: string) => generateName({ namespace: "acme", urn: urnOf(name) }, madeFrom);
const held = (name: string, parts: Partial<VoiceHolder> = {}): VoiceHolder => ({
  ...holder(name, `svc-tts-vc-${nameOf(name)}-voice-20261121115500000-beef`),
  account: "https://a.example 111111",
  generatedName: nameOf(name),
  madeFrom,
  ...parts,
});
const listed = (voice: string) => ({ voice, targetModel, gmtCreate: "2026-11-21T11:55:00Z" });
const second = `svc-tts-vc-${nameOf("a")}-voice-20261121120000000-cafe`;
const nowMs = Date.parse("2026-11-21T12:00:00Z");
const prices = { voicePrice: 0.01, currency: "USD" };
const named = { project: "program", stack: "dev" };
const facts = {
  ...prices,
  namespace: "acme",
  apiKey: undefined,
  named,
  read: [],
  fingerprint: "https://a.example 111111",
  voiceBaseUrl: undefined,
  nowMs,
};
const driftFor = (
  inState: VoiceHolder[],
  account: string[],
  read: VoiceHolder[] = [],
  more: Partial<Parameters<typeof driftOf>[0]> = {},
) => driftOf({ ...facts, held: inState, read, listed: account.map(listed), ...more });
const [a, b] = [held("a"), held("b")];
const ref = held("ref", { voice: second });

test.each<[string, VoiceHolder[], string[], VoiceHolder[], counts: [missing: number, orphans: number]]>([
  ["equal", [a], [a.voice], [], [0, 0]],
  ["nothing in the state, voices of others in the account", [], ["svc-other"], [], [0, 0]],
  ["a voice is missing in the account", [a, b], [a.voice], [], [1, 0]],
  ["a second voice has the name", [a], [a.voice, second], [], [0, 1]],
  ["an old copy is gone already", [a, held("b", { isOld: true })], [a.voice], [], [0, 0]],
  ["a voice that the program only read is gone", [a], [a.voice], [b], [0, 0]],
  ["the program also reads a second voice with the name", [a], [a.voice, second], [ref], [0, 0]],
])("compares state and account: %s", (_, inState, account, read, counts) => {
  const { missing, orphans } = driftFor(inState, account, read) as Drift;
  expect([missing.length, orphans.length]).toEqual(counts);
});

test("the drift is not known if the list is of another account, and a person is asked about the key", () => {
  const { unknown } = driftFor([held("a", { account: "https://a.example 222222" })], []) as { unknown: string };
  expect(unknown).toMatch(/belong to another account.*Question: .*another key.*CLOUDVOICE_ACCEPT=key-[0-9a-f]{16}$/);
  const accepted = new Set([/CLOUDVOICE_ACCEPT=(\S+)$/.exec(unknown)?.[1] ?? ""]);
  const asking = { backend: "", accepted };
  expect(driftFor([held("a", { account: "https://a.example 222222" })], [], [], { asking })).toMatchObject({
    missing: [{}],
  });
});

const doubt = "the meaning of status_code is not known";
const three = [a, b, held("c")];
test.each<[string, VoiceHolder[], string | undefined, RegExp | undefined]>([
  [
    "all of three voices are missing",
    [],
    undefined,
    /^Question: All 3 voices of the stack program\/dev .*another account/,
  ],
  ["one is missing in a list that proves nothing", [a, b], doubt, /^Question: .*lacks 1 of the 3 .*status_code/],
  ["a list that proves nothing has all of them", three, doubt, undefined],
])("%s: what is not certain is asked, and remains a finding", (_, present, why, asked) => {
  const drift = (accepted: string[]) =>
    driftFor(
      three,
      present.map(({ voice }) => voice),
      [],
      { doubt: why, asking: { backend: "", accepted: new Set(accepted) } },
    ) as Drift;
  const textOf = (of: Drift) => driftText(of, "organization/program/dev", prices);
  const found = drift([]);
  expect(hasDrift(found)).toBe(present.length < 3);
  expect(found.questions.map(({ kind }) => kind)).toEqual(asked ? ["missing"] : []);
  // Behind the two lines that count.
  if (asked)
    expect(textOf(found).split("\n").slice(3, 5)).toEqual(
      lines(asked, /^To say yes, run .*CLOUDVOICE_ACCEPT=missing-/),
    );
  else expect(textOf(found)).not.toMatch(/Question/);

  const accepted = drift(found.questions.map(({ id }) => id));
  expect(accepted.questions).toEqual([]);
  expect(hasDrift(accepted)).toBe(hasDrift(found));
});
const lines = (...all: RegExp[]) => all.map((line) => expect.stringMatching(line) as string);

test("a voice whose row says that it is not usable is a finding, and is not missing", () => {
  const row = { ...listed(a.voice), unusable: "status: DELETED" };
  const drift = driftFor([a, b], [], [], { listed: [row, listed(b.voice)] }) as Drift;
  expect(drift).toMatchObject({
    missing: [],
    unusable: [{ voice: a.voice, urn: urnOf("a"), said: "status: DELETED" }],
  });
  expect(hasDrift(drift)).toBe(true);
  const text = driftText(drift, "organization/program/dev", prices);
  expect(text).toMatch(/^Drift of program\/dev: 0 missing, 0 orphaned, 1 not usable\n/);
  expect(text).toMatch(
    /not usable, .*To replace these voices, change triggers:\n- a: svc-tts-vc-a_.*\(status: DELETED\)\n/,
  );
});

const rights = (until: string) => ({ shown: { ...jane, until }, known: { ...jane, until } });
const jane = { holder: "Jane", evidence: "file 7" };

test.each([
  ["2026-11-20", true, "Rights that have ended"],
  ["2026-11-21", false, "Rights that end within 30 days"],
])("rights until %s are a finding: %s", (until, isFinding, title) => {
  const drift = driftFor([held("a", { rights: rights(until) })], [a.voice]) as Drift;
  expect(hasDrift(drift)).toBe(isFinding);
  const text = driftText(drift, "organization/program/dev", prices);
  expect(text).toContain(`${title}:\n- a: Jane; file 7; until ${until}\n`);
});

test("the drift is not known if the end of rights is secret and could not be read", () => {
  const secret = { shown: { ...jane, until: "[secret]" }, known: jane };
  expect(driftFor([held("a", { rights: secret })], [a.voice])).toEqual({
    unknown: "the end of the rights of 1 voice is secret, and could not be decrypted",
  });
});

test("ended rights of a voice that does not exist are no finding of their own", () => {
  const drift = driftFor([held("a", { rights: rights("2020-01-01") })], []) as Drift;
  expect(drift).toMatchObject({ missing: [{}], remarks: { rightsEnded: [] } });
});

test("a voice older than 335 days may be deleted soon, and is no finding", () => {
  const gmtCreate = "2025-11-21 11:55:00";
  const drift = driftOf({ ...facts, held: [a], listed: [{ voice: a.voice, targetModel, gmtCreate }] }) as Drift;
  expect(hasDrift(drift)).toBe(false);
  const text = driftText(drift, "organization/program/dev", { voicePrice: 0.5, currency: "EUR" });
  expect(text).toMatch(/- a: created 2025-11-21, age 365 days, may be deleted soon\n.*creates them again \(€0\.50\)/);
});

test("the text names each voice, its resource and what to do", () => {
  const full = "organization/program/dev";
  const text = driftText(driftFor([a, b], [a.voice, second]) as Drift, full, prices);
  expect(text).toMatch(/^Drift of program\/dev: 1 missing, 1 orphaned\n2 voices in the state\.\n/);
  expect(text).toMatch(/pulumi up --refresh creates them again \(\$0\.01\):\n- b: svc-tts-vc-b_/);
  expect(text).toMatch(
    /voices --orphans --delete --stack organization\/program\/dev deletes them:\n- svc-tts-vc-a_.*-cafe 2026-11-21\n$/,
  );
  expect(driftText(driftFor([a], [a.voice]) as Drift, full, prices)).toBe(
    "Drift of program/dev: none\n1 voice in the state.\n",
  );
});
