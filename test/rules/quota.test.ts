import {
  describeHolders,
  orphanedVoices,
  quotaProblem,
  QuotaPlan,
  stackQuotaProblem,
} from "../../provider/src/rules/quota";

function planOf(wants: string[], frees: string[]): QuotaPlan {
  const plan = new QuotaPlan();
  frees.forEach((resource) => plan.freesFirst(resource));
  wants.forEach((resource) => plan.wants(resource));
  return plan;
}

test.each<[what: string, wants: string[], frees: string[], wanted: number, peak: number]>([
  ["nothing", [], [], 0, 0],
  ["two creates", ["a", "b"], [], 2, 2],
  ["one create that is checked twice", ["a", "a"], [], 1, 1],
  ["a create, and a replacement that deletes its old voice first", ["a", "b"], ["b"], 2, 1],
  ["a create, and a resource with deleteBeforeReplace that does not change", ["b"], ["a"], 1, 1],
])("a plan of %s", (_, wants, frees, wanted, peak) => {
  const plan = planOf(wants, frees);
  expect({ wanted: plan.wanted, peak: plan.peak }).toEqual({ wanted, peak });
});

test.each([
  ["fits if it fills the account exactly", 3, ["a", "b"], false],
  ["does not fit if it needs one voice more", 4, ["a", "b"], true],
  ["without a create does not fit into an account that exceeds the quota already", 6, [], true],
])("an update %s", (_, existing, wants, isRejected) => {
  const plan = planOf(wants, []);
  expect(quotaProblem(existing, plan, 5, "error") !== undefined).toBe(isRejected);
  expect(quotaProblem(existing, plan, 5, "warn") !== undefined).toBe(isRejected);
  expect(quotaProblem(existing, plan, 5, "off")).toBeUndefined();
});

test("the error of an update that does not fit states the voices, the creates, the peak and the quota", () => {
  expect(quotaProblem(4, planOf(["a", "b", "c"], ["c"]), 5, "error")).toMatch(/\b4 voices\b.*\b3\b.*\b6\b.*\b5\b/);
});

test("the bound of a stack is a rule of the same kind, and its error states the numbers and the setting", () => {
  const plan = planOf(["a", "b"], ["b"]);
  expect(stackQuotaProblem(4, plan, 5, "error")).toBeUndefined();
  expect(stackQuotaProblem(5, plan, 5, "off")).toBeUndefined();
  expect(stackQuotaProblem(5, plan, 5, "warn")).toMatch(
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
  const held = [
    { id: "x-a_1234567-voice-1", preferredName: "a_1234567", generated: true },
    { id: "other", preferredName: "", generated: true },
  ];
  const orphans = orphanedVoices(
    listed.map((voice) => ({ voice })),
    held,
  );
  expect(orphans.map(({ voice }) => voice)).toEqual(["x-a_1234567-voice-2", "x_a_1234567-voice-3"]);
});

test("a voice that another stack holds, or this one under a chosen name, is no orphan", () => {
  const listed = ["x-a_1234567-voice-1", "x-a_1234567-voice-2", "x-a_1234567-voice-3", "x-bob-voice-4"].map(
    (voice) => ({ voice }),
  );
  const held = [
    { id: "x-a_1234567-voice-1", preferredName: "a_1234567", generated: true },
    // An orphan that was adopted with a name of the program's own.
    { id: "x-a_1234567-voice-2", preferredName: "bob", generated: false },
  ];
  expect(orphanedVoices(listed, held)).toEqual([{ voice: "x-a_1234567-voice-3" }]);
  expect(orphanedVoices(listed, held, new Set(["x-a_1234567-voice-3"]))).toEqual([]);
  // A chosen name does not show who owns a voice, even if it looks like a generated one.
  const chosen = [{ id: "x-a_1234567-voice-1", preferredName: "a_1234567", generated: false }];
  expect(orphanedVoices(listed, chosen)).toEqual([]);
});
