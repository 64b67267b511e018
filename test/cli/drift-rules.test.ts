import { driftOf, driftText, type Drift } from "../../provider/src/cli/review/drift";
import type { VoiceInState } from "../../provider/src/cli/stack";

const targetModel = "svc3-tts-vc-2026-01-22";
const urnOf = (name: string) => `urn:pulumi:dev::program::pulumi-nodejs:dynamic/cloudvoice:CloudVoice::${name}`;

describe("drift", () => {
  const held = (name: string, parts: Partial<VoiceInState> = {}): VoiceInState => ({
    urn: urnOf(name),
    id: `svc-tts-vc-${name}_1234567-voice-20261121115500000-beef`,
    account: "aaaa-111111",
    preferredName: `${name}_1234567`,
    generated: true,
    pendingDelete: false,
    external: false,
    ...parts,
  });
  const listed = (voice: string) => ({ voice, targetModel, gmtCreate: "2026-11-21T11:55:00Z" });
  const second = "svc-tts-vc-a_1234567-voice-20261121120000000-cafe";
  const named = { project: "program", stack: "dev" };
  const driftFor = (inState: VoiceInState[], account: string[], elsewhere: string[] = []) =>
    driftOf({
      named,
      held: inState,
      elsewhere: new Set(elsewhere),
      listed: account.map(listed),
      fingerprint: "aaaa-111111",
    });

  test.each<[string, VoiceInState[], string[], string[], { missing: number; orphans: number }]>([
    ["equal", [held("a")], [held("a").id], [], { missing: 0, orphans: 0 }],
    ["nothing in the state, voices of others in the account", [], ["svc-other"], [], { missing: 0, orphans: 0 }],
    ["a voice is missing in the account", [held("a"), held("b")], [held("a").id], [], { missing: 1, orphans: 0 }],
    ["a second voice has the name", [held("a")], [held("a").id, second], [], { missing: 0, orphans: 1 }],
    [
      "the second voice belongs to another stack",
      [held("a")],
      [held("a").id, second],
      [second],
      { missing: 0, orphans: 0 },
    ],
    [
      "an old copy is gone already",
      [held("a"), held("b", { pendingDelete: true })],
      [held("a").id],
      [],
      { missing: 0, orphans: 0 },
    ],
    [
      "a voice that the program only read is gone",
      [held("a"), held("b", { external: true })],
      [held("a").id],
      [],
      { missing: 0, orphans: 0 },
    ],
    [
      "the program also reads a second voice with the name",
      [held("a"), held("ref", { id: second, external: true })],
      [held("a").id, second],
      [],
      { missing: 0, orphans: 0 },
    ],
    [
      "a chosen name identifies nothing",
      [held("a", { generated: false })],
      [held("a").id, second],
      [],
      { missing: 0, orphans: 0 },
    ],
  ])("%s", (_, inState, account, elsewhere, expected) => {
    const { missing, orphans } = driftFor(inState, account, elsewhere) as Drift;
    expect({ missing: missing.length, orphans: orphans.length }).toEqual(expected);
  });

  test("is not known if the list is of another account", () => {
    expect(driftFor([held("a", { account: "aaaa-222222" })], [])).toMatchObject({
      unknown: expect.stringMatching(/belong to another account/) as string,
    });
  });

  test("names each voice, its resource and what to do", () => {
    const text = driftText(driftFor([held("a"), held("b")], [held("a").id, second]) as Drift);
    expect(text).toMatch(/^Drift of program\/dev: 1 missing, 1 orphaned\n2 voices in the state\.\n/);
    expect(text).toMatch(/pulumi up --refresh creates them again \(\$0\.01\):\n- b: svc-tts-vc-b_/);
    expect(text).toMatch(/voices --orphans --delete --stack dev deletes them:\n- svc-tts-vc-a_.*-cafe 2026-11-21\n$/);
    expect(driftText(driftFor([held("a")], [held("a").id]) as Drift)).toBe(
      "Drift of program/dev: none\n1 voice in the state.\n",
    );
  });
});
