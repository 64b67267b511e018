import { describeHolders, orphanedVoices, quotaProblem } from "../../provider/src/rules/quota";

const counts = (now: number, peak: number, added = 1) => ({ now, peak, added });

test.each([
  ["fits if it fills the account exactly", counts(3, 5, 2), false],
  ["does not fit if it needs one voice more", counts(4, 6, 2), true],
  ["that creates nothing fits into an account that exceeds the quota already", counts(6, 6, 0), false],
])("an update %s", (_, needed, isRejected) => {
  expect(quotaProblem("account", needed, 5, "error") !== undefined).toBe(isRejected);
  expect(quotaProblem("account", needed, 5, "warn") !== undefined).toBe(isRejected);
  expect(quotaProblem("account", needed, 5, "off")).toBeUndefined();
});

test("the error of an update that does not fit states the voices, the creates, the peak and the quota", () => {
  expect(quotaProblem("account", counts(4, 6, 3), 5, "error")).toMatch(/\b4 voices\b.*\b3\b.*\b6\b.*\b5\b/);
});

test("the bound of a stack is a rule of the same kind, and its error states the numbers and the setting", () => {
  expect(quotaProblem("stack", counts(4, 5, 2), 5, "error")).toBeUndefined();
  expect(quotaProblem("stack", counts(5, 6, 2), 5, "off")).toBeUndefined();
  expect(quotaProblem("stack", counts(5, 6, 2), 5, "warn")).toMatch(
    /it has 5, and with 2 to add so far the update needs 6 at its peak; cloudvoice:stackQuota is 5\..*VoiceQuotaExceeded/,
  );
});

test("the holders of an account are groups of names, and the group with the oldest voice comes first", () => {
  const rows = [
    { voice: "x-shop_abcdefg-voice-1", gmtCreate: "2026-01-02 00:00:00" },
    { voice: "x-shop_1234567-voice-1", gmtCreate: "2025-06-01 00:00:00" },
    { voice: "x-narrator-voice-1", gmtCreate: "2024-01-01 00:00:00" },
    { voice: "odd" },
  ];
  const expected = "1 × narrator (since 2024-01-01), 2 × shop_… (since 2025-06-01), 1 × odd";
  expect(describeHolders(rows)).toBe(expected);
  expect(describeHolders([...rows].reverse())).toBe(expected);
  expect(describeHolders(rows, 1)).toBe("1 × narrator (since 2024-01-01), and 2 more names");
  expect(describeHolders([])).toBe("");
});

test("only a generated name is shortened", () => {
  const voices = ["x-a_123456-voice-1", "x-a_1234567_b-voice-1", "x-ab12345678-voice-1"].map((voice) => ({ voice }));
  expect(describeHolders(voices)).toBe("1 × a_123456, 1 × a_1234567_b, 1 × ab12345678");
});

test("at most eight holders are named", () => {
  const voices = Array.from({ length: 9 }, (_, index) => ({ voice: `x-name${index}-voice-1` }));
  expect(describeHolders(voices.slice(1))).toMatch(/, 1 × name8$/);
  expect(describeHolders(voices)).toMatch(/, 1 × name7, and 1 more name$/);
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
