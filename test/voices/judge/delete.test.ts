import { Calls } from "../../../provider/src/voices/calls";
import {
  type DeleteVerdict,
  judgeDelete,
  orphanedVoices,
  skippedDelete,
  unreadQuestion,
} from "../../../provider/src/voices/judge/delete";
import { generateName } from "../../../provider/src/rules/naming";
import type { VoiceHolder } from "../../../provider/src/voices/holder";
import { entry, me, ren, voice } from "../../support/holders";

test.each<[what: string, voice: string, state: object, refused: boolean]>([
  ["the voice of the generated name", "svc-tts-vc-guide_1234567-voice-20260310114800000-beef", {}, false],
  ["under another beginning, with the same hash", "svc-tts-vc-host_1234567-voice-20260310114800000-beef", {}, false],
  ["under another prefix", "acme-guide_1234567-voice-20260310114800000-beef", {}, false],
  ["the voice of another name", "svc-tts-vc-boss_7654321-voice-20260310114800000-beef", {}, true],
  ["if it was adopted", "svc-tts-vc-boss_7654321-voice-20260310114800000-beef", { adopted: true }, false],
  ["if the program chose the name", "svc-tts-vc-boss-voice-20260310114800000-beef", { nameVersion: undefined }, false],
  ["a name of another shape, which proves nothing", "voice/8812", {}, false],
])("a state that names %s", (_, voice, changes, refused) => {
  const state = { adopted: false, preferredName: "guide_1234567", nameVersion: 1, ...changes };
  const calls = new Calls().on(voice);
  const facts = { label: "", state, calls, isNamedFor: false, entries: [], isAllRead: true };
  const verdict = judgeDelete(voice, { ...facts, others: -1, isReused: false });
  const reason = expect.stringMatching(/is not deleted: .*guide_1234567.*state delete/) as string;
  expect(verdict).toEqual(refused ? { action: "reject", reason } : { action: "delete" });
});

test("a voice that a state which can't be read may hold is deleted only after a question", () => {
  const state = { adopted: false, preferredName: "guide_1234567", nameVersion: 1 };
  const facts = { label: "", state, calls: new Calls().on(voice), entries: [], isAllRead: false, others: 0 };
  expect(judgeDelete(voice, { ...facts, isNamedFor: false, isReused: false })).toEqual({ action: "ask" });
});

test("this question names the voices, and the stacks with the reasons why their states can't be read", () => {
  const unread = [
    { stack: "prod", reason: "no passphrase" },
    { stack: "qa", reason: "no access" },
  ];
  const about = { stack: "studio/dev", origin: "https://a.example" };
  expect(unreadQuestion(["v", "w"], unread, about)).toEqual({
    ...{ kind: "unread", ...about },
    uncertain: expect.stringMatching(/: v, w\..*can't be read: prod \(no passphrase\), qa \(no access\)\.$/) as string,
    yes: expect.stringMatching(/^the voices are deleted, .*unless a state that can be read holds them$/) as string,
    otherwise: "None of these voices was deleted.",
  });
});

test("a warning names a voice whose resource goes together with another (`deletedWith`)", () => {
  const dependent = entry(ren, { deletedWith: me });
  expect(skippedDelete(voice, [dependent])).toMatch(/when old is deleted.*ren of the stack dev \(deletedWith\).*stays/);
  expect(skippedDelete(voice, [entry(ren)])).toBeUndefined();
});

describe("an orphaned voice", () => {
  const content = { targetModel: "m", audio: "a.wav", audioSha256: "5e1f" };
  const naming = { namespace: "acme", apiKey: "key" };
  const stack = "organization/p/dev";
  const nameOf = (urn: string) => generateName({ namespace: "acme", urn }, { ...content, audio: "5e1f" });
  const own = nameOf(me);
  const held = (changes: Partial<VoiceHolder> = {}) =>
    entry(me, { stack, voice: `x-${own}-voice-1`, generatedName: own, madeFrom: content, ...changes });
  const listed = [
    `x-${own}-voice-1`,
    `x-${own}-voice-2`,
    `x_${own}-voice-3`,
    "x-b_7654321-voice-1",
    "x-bob-voice-4",
    "by hand",
  ];
  const orphans = (...holders: VoiceHolder[]) =>
    orphanedVoices(
      listed.map((voice) => ({ voice })),
      holders,
      naming,
    ).map(({ voice }) => voice);

  test("has the name of a resource of the stack, and no resource has it", () => {
    expect(orphans(held())).toEqual([`x-${own}-voice-2`, `x_${own}-voice-3`]);
  });

  test("is not one that a resource has adopted", () => {
    expect(orphans(held(), held({ voice: `x-${own}-voice-2`, generatedName: undefined }))).toEqual([
      `x_${own}-voice-3`,
    ]);
  });

  test.each<[what: string, changes: Partial<VoiceHolder>]>([
    ["somebody's name that a state claims", { generatedName: "b_7654321" }],
    ["a chosen name, even if it looks like a generated one", { generatedName: undefined }],
    ["the name of other content", { madeFrom: { ...content, text: "Hello." } }],
    ["a name whose content is secret", { madeFrom: { ...content, text: { "4dabf18193072939515e22adb298388d": "x" } } }],
    ["the name of a resource of another stack, whose URN was imported", { stack: "organization/p/prod" }],
    ["the name of a resource of another project", { stack: "organization/q/dev" }],
  ])("does not have %s", (_, changes) => {
    expect(orphans(held(changes))).toEqual([]);
  });
});

test.each<[what: string, holder: string | undefined, isListed: boolean, verdict: DeleteVerdict]>([
  [
    "that a resource holds is refused, and names the resource",
    "ren of the stack dev",
    true,
    { action: "keep", reason: "ren of the stack dev holds it" },
  ],
  [
    "that the account lacks is refused",
    undefined,
    false,
    { action: "reject", reason: "the account has no voice of this name" },
  ],
  ["that nothing holds is done", undefined, true, { action: "delete" }],
])("a delete by hand of a voice %s", (_, holder, isListed, verdict) => {
  expect(judgeDelete("svc-v", { byHand: true, holder, isListed })).toEqual(verdict);
});
