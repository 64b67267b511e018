import { Calls } from "../../../provider/src/voices/calls";
import { judgeDelete, orphanedVoices, refusedByHand, skippedDelete } from "../../../provider/src/voices/judge/delete";
import { entry, me, ren, voice } from "../../support/holders";

test.each<[what: string, voice: string, state: object, refused: boolean]>([
  ["the voice of the generated name", "svc-tts-vc-guide_1234567-voice-20260310114800000-beef", {}, false],
  ["under another prefix", "acme-guide_1234567-voice-20260310114800000-beef", {}, false],
  ["the voice of another name", "svc-tts-vc-boss_7654321-voice-20260310114800000-beef", {}, true],
  ["if it was adopted", "svc-tts-vc-boss_7654321-voice-20260310114800000-beef", { adopted: true }, false],
  ["if the program chose the name", "svc-tts-vc-boss-voice-20260310114800000-beef", { nameVersion: undefined }, false],
  ["a name of another shape, which proves nothing", "voice/8812", {}, false],
])("a state that names %s", (_, voice, changes, refused) => {
  const state = { adopted: false, preferredName: "guide_1234567", nameVersion: 1, ...changes };
  const calls = new Calls().on(voice);
  const verdict = judgeDelete(voice, { label: "", state, calls, entries: [], others: -1, isReused: false });
  const reason = expect.stringMatching(/is not deleted: .*guide_1234567.*state delete/) as string;
  expect(verdict).toEqual(refused ? { action: "reject", reason } : { action: "delete" });
});

test("a warning names a voice whose resource goes together with another (`deletedWith`)", () => {
  const dependent = entry(ren, { deletedWith: me });
  expect(skippedDelete(voice, [dependent])).toMatch(/when old is deleted.*ren of the stack dev \(deletedWith\).*stays/);
  expect(skippedDelete(voice, [entry(ren)])).toBeUndefined();
});

test("an orphaned voice has a name of the stack, and no resource of the stack has it", () => {
  const listed = [
    "x-a_1234567-voice-1",
    "x-a_1234567-voice-2",
    "x_a_1234567-voice-3",
    "x-b_7654321-voice-1",
    "by hand",
  ];
  const held = [{ voice: "x-a_1234567-voice-1", generatedName: "a_1234567" }, { voice: "other" }];
  const orphans = orphanedVoices(
    listed.map((voice) => ({ voice })),
    held,
  );
  expect(orphans.map(({ voice }) => voice)).toEqual(["x-a_1234567-voice-2", "x_a_1234567-voice-3"]);
});

test("a voice that the stack holds under a chosen name is no orphan", () => {
  const listed = ["x-a_1234567-voice-1", "x-a_1234567-voice-2", "x-a_1234567-voice-3", "x-bob-voice-4"].map(
    (voice) => ({ voice }),
  );
  const held = [
    { voice: "x-a_1234567-voice-1", generatedName: "a_1234567" },
    // An orphan that was adopted with a name of the program's own.
    { voice: "x-a_1234567-voice-2" },
  ];
  expect(orphanedVoices(listed, held)).toEqual([{ voice: "x-a_1234567-voice-3" }]);
  // A chosen name does not show who owns a voice, even if it looks like a generated one.
  const chosen = [{ voice: "x-a_1234567-voice-1" }];
  expect(orphanedVoices(listed, chosen)).toEqual([]);
});

test.each([
  ["ren of the stack dev", true, "ren of the stack dev holds it"],
  [undefined, false, "the account has no voice of this name"],
  [undefined, true, undefined],
])("a delete by hand of a voice that %s holds (listed: %s): %s", (holder, isListed, refusal) => {
  expect(refusedByHand(holder, isListed)).toBe(refusal);
});
