import { describeVoices } from "../../provider/src/rules/describe-voices";

test("the holders of an account are groups of names, and the group with the oldest voice comes first", () => {
  const rows = [
    { voice: "x-shop_1bcdefg-voice-1", gmtCreate: "2026-01-02 00:00:00" },
    { voice: "x-shop_1234567-voice-1", gmtCreate: "2025-06-01 00:00:00" },
    { voice: "x-narrator-voice-1", gmtCreate: "2024-01-01 00:00:00" },
    { voice: "odd" },
  ];
  const expected = "1 × narrator (since 2024-01-01), 2 × shop_… (since 2025-06-01), 1 × odd";
  expect(describeVoices(rows)).toBe(expected);
  expect(describeVoices([...rows].reverse())).toBe(expected);
  expect(describeVoices([])).toBe("");
});

test("only a generated name is shortened", () => {
  const voices = ["x-a_123456-voice-1", "x-a_1234567_b-voice-1", "x-ab12345678-voice-1"].map((voice) => ({ voice }));
  expect(describeVoices(voices)).toBe("1 × a_123456, 1 × a_1234567_b, 1 × ab12345678");
});

test("at most eight holders are named", () => {
  const voices = Array.from({ length: 10 }, (_, index) => ({ voice: `x-name${index}-voice-1` }));
  expect(describeVoices(voices.slice(2))).toMatch(/, 1 × name9$/);
  expect(describeVoices(voices.slice(1))).toMatch(/, 1 × name8, and 1 more name$/);
  expect(describeVoices(voices)).toMatch(/, 1 × name7, and 2 more names$/);
});
