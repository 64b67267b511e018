import { driftOf, driftText, hasDrift, type Drift } from "../../provider/src/cli/review/drift";
import type { VoiceHolder } from "../../provider/src/rules/voice-holder";

const targetModel = "svc3-tts-vc-2026-01-22";
const urnOf = (name: string) => `urn:pulumi:dev::program::pulumi-nodejs:dynamic/cloudvoice:CloudVoice::${name}`;

describe("drift", () => {
  const held = (name: string, parts: Partial<VoiceHolder> = {}): VoiceHolder => ({
    ...{ stack: "organization/program/dev", urn: urnOf(name), savedUrn: urnOf(name), isOld: false },
    voice: `svc-tts-vc-${name}_1234567-voice-20261121115500000-beef`,
    account: "aaaa-111111",
    generatedName: `${name}_1234567`,
    ...parts,
  });
  const listed = (voice: string) => ({ voice, targetModel, gmtCreate: "2026-11-21T11:55:00Z" });
  const second = "svc-tts-vc-a_1234567-voice-20261121120000000-cafe";
  const nowMs = Date.parse("2026-11-21T12:00:00Z");
  const prices = { voicePrice: 0.01, currency: "USD" };
  const named = { project: "program", stack: "dev" };
  const driftFor = (inState: VoiceHolder[], account: string[], read: VoiceHolder[] = []) =>
    driftOf({
      named,
      held: inState,
      read,
      listed: account.map(listed),
      fingerprint: "aaaa-111111",
      acceptMissing: "some",
      nowMs,
    });
  const [a, b] = [held("a"), held("b")];
  const ref = held("ref", { voice: second });

  test.each<[string, VoiceHolder[], string[], VoiceHolder[], { missing: number; orphans: number }]>([
    ["equal", [a], [a.voice], [], { missing: 0, orphans: 0 }],
    ["nothing in the state, voices of others in the account", [], ["svc-other"], [], { missing: 0, orphans: 0 }],
    ["a voice is missing in the account", [a, b], [a.voice], [], { missing: 1, orphans: 0 }],
    ["a second voice has the name", [a], [a.voice, second], [], { missing: 0, orphans: 1 }],
    ["an old copy is gone already", [a, held("b", { isOld: true })], [a.voice], [], { missing: 0, orphans: 0 }],
    ["a voice that the program only read is gone", [a], [a.voice], [b], { missing: 0, orphans: 0 }],
    ["the program also reads a second voice with the name", [a], [a.voice, second], [ref], { missing: 0, orphans: 0 }],
    [
      "a chosen name identifies nothing",
      [held("a", { generatedName: undefined })],
      [a.voice, second],
      [],
      { missing: 0, orphans: 0 },
    ],
  ])("%s", (_, inState, account, read, expected) => {
    const { missing, orphans } = driftFor(inState, account, read) as Drift;
    expect({ missing: missing.length, orphans: orphans.length }).toEqual(expected);
  });

  test("is not known if the list is of another account", () => {
    expect(driftFor([held("a", { account: "aaaa-222222" })], [])).toMatchObject({
      unknown: expect.stringMatching(/belong to another account/) as string,
    });
  });

  test.each<[string, string[], "some" | "all", boolean]>([
    ["some of three voices are missing", ["a"], "some", false],
    ["all of three voices are missing", [], "some", true],
    ["all are missing, and the user accepts it", [], "all", false],
  ])("%s: a likely mistake is reported, and remains a finding", (_, present, acceptMissing, isReported) => {
    const inState = [a, b, held("c")];
    const listedNow = inState.filter(({ voice }) => present.some((name) => voice.includes(`-${name}_`)));
    const drift = driftOf({
      ...{ named, held: inState, read: [], listed: listedNow.map(({ voice }) => listed(voice)) },
      ...{ fingerprint: "aaaa-111111", acceptMissing, nowMs },
    }) as Drift;
    expect(hasDrift(drift)).toBe(true);
    const text = driftText(drift, "organization/program/dev", prices);
    expect(/more likely another account.*CLOUDVOICE_ACCEPT_MISSING=all/s.test(text)).toBe(isReported);
  });

  test("a voice that two resources share counts once for a likely mistake", () => {
    const shared = held("c", { voice: b.voice });
    expect(driftFor([a, b, shared], []) as Drift).not.toHaveProperty("massLoss");
    expect(driftFor([a, b, shared, held("d")], []) as Drift).toHaveProperty("massLoss");
  });

  const rights = (until: string) => ({ shown: { ...jane, until }, known: { ...jane, until } });
  const jane = { holder: "Jane", evidence: "file 7" };

  test.each([
    ["2026-11-20", true, "Rights that have ended"],
    ["2026-11-21", false, "Rights that end within 30 days"],
    ["2026-12-21", false, "Rights that end within 30 days"],
    ["2026-12-22", false, undefined],
  ])("rights until %s are a finding: %s", (until, isFinding, title) => {
    const drift = driftFor([held("a", { rights: rights(until) })], [a.voice]) as Drift;
    expect(hasDrift(drift)).toBe(isFinding);
    const text = driftText(drift, "organization/program/dev", prices);
    expect(/^(Rights.*):$/m.exec(text)?.[1]).toBe(title);
    if (title !== undefined) expect(text).toContain(`- a: Jane; file 7; until ${until}\n`);
  });

  test("is not known if the end of rights is secret and could not be read", () => {
    const secret = { shown: { ...jane, until: "[secret]" }, known: jane };
    expect(driftFor([held("a", { rights: secret })], [a.voice])).toEqual({
      unknown: "when the rights of 1 voice end is secret, and could not be decrypted",
    });
  });

  test("ended rights of a voice that does not exist are no finding of their own", () => {
    const drift = driftFor([held("a", { rights: rights("2020-01-01") })], []) as Drift;
    expect(drift).toMatchObject({ missing: [{}], remarks: { rightsEnded: [] } });
  });

  test("a voice older than 335 days may be deleted soon, and is no finding", () => {
    const gmtCreate = "2025-11-21 11:55:00";
    const facts = { named, read: [], fingerprint: "aaaa-111111", acceptMissing: "some" as const, nowMs };
    const drift = driftOf({ ...facts, held: [a], listed: [{ voice: a.voice, targetModel, gmtCreate }] }) as Drift;
    expect(hasDrift(drift)).toBe(false);
    const text = driftText(drift, "organization/program/dev", { voicePrice: 0.5, currency: "EUR" });
    expect(text).toMatch(/- a: created 2025-11-21, age 365 days, may be deleted soon\n.*creates them again \(€0\.50\)/);
  });

  test("names each voice, its resource and what to do", () => {
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
});
