import { describeHolders, quotaProblem, QuotaPlan, orphanedVoices } from "../../provider/src/rules/quota";

test.each<[what: string, existing: number, wants: string[], frees: string[], quota: number, faulty: boolean]>([
  ["room for all", 3, ["a", "b"], [], 5, false],
  ["one too many", 4, ["a", "b"], [], 5, true],
  ["the same resource asked twice", 4, ["a", "a"], [], 5, false],
  ["a replacement that goes first", 5, ["a"], ["a"], 5, false],
  ["a resource that would go first and does not change", 5, ["b"], ["a"], 5, true],
  ["an account that is over already, and an update that wants nothing", 6, [], [], 5, true],
])("%s", (_, existing, wants, frees, quota, faulty) => {
  const plan = new QuotaPlan();
  frees.forEach((resource) => plan.freesFirst(resource));
  wants.forEach((resource) => plan.wants(resource));
  expect(quotaProblem(existing, plan, quota, "error") !== undefined).toBe(faulty);
  expect(quotaProblem(existing, plan, quota, "off")).toBeUndefined();
});

test("the message ends with the error code by which a review finds it", () => {
  const plan = new QuotaPlan();
  plan.wants("a");
  expect(quotaProblem(1, plan, 1, "error")).toMatch(/\(VoiceQuotaExceeded\)$/);
});

test("a full account says who fills it: groups of names, the oldest first", () => {
  const rows = [
    { voice: "x-shop_abcdefgh-voice-1", gmtCreate: "2026-01-02 00:00:00" },
    { voice: "x-shop_12345678-voice-1", gmtCreate: "2025-06-01 00:00:00" },
    { voice: "x-narrator-voice-1", gmtCreate: "2024-01-01 00:00:00" },
    { voice: "odd" },
  ];
  expect(describeHolders(rows)).toBe("1 × narrator (since 2024-01-01), 2 × shop_… (since 2025-06-01), 1 × odd");
  expect(describeHolders(rows, 1)).toBe("1 × narrator (since 2024-01-01), and 2 more names");
});

test("strays are voices under a name of ours that no resource of ours holds", () => {
  const listed = ["x-a_1-voice-1", "x-a_1-voice-2", "x-b_1-voice-1", "by hand"].map((voice) => ({ voice }));
  expect(orphanedVoices(listed, [{ id: "x-a_1-voice-1", preferredName: "a_1" }])).toEqual([{ voice: "x-a_1-voice-2" }]);
});
