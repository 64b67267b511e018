import { ageDays, createdAt, createdAtOfListed, createdAtOfVoice, dayOf } from "../../provider/src/rules/time";

test.each([
  ["2025-08-11 17:59:32", "2025-08-11T17:59:32Z"],
  ["2025-08-11T17:59:32.123", "2025-08-11T17:59:32Z"],
  ["2025-08-11T17:59:32+02:00", "2025-08-11T15:59:32Z"],
  ["2025-08-11T17:59:32-0530", "2025-08-11T23:29:32Z"],
  [1754935172, "2025-08-11T17:59:32Z"],
  [1754935172123, "2025-08-11T17:59:32Z"],
  [4102444800, "2100-01-01T00:00:00Z"],
  [946684800, "2000-01-01T00:00:00Z"],
  [946684800000, "2000-01-01T00:00:00Z"],
  ["1754935172", "2025-08-11T17:59:32Z"],
  ["1754935172123", "2025-08-11T17:59:32Z"],
  ["1754935172.123456", "2025-08-11T17:59:32Z"],
  ["1754935172123.25", "2025-08-11T17:59:32Z"],
  ["2000-01-01", "2000-01-01T00:00:00Z"],
  ["2100-12-31 23:59:59", "2100-12-31T23:59:59Z"],
  ["2025/08/11 17:59:32", "2025-08-11T17:59:32Z"],
  ["2025-8-1 7:09:02", "2025-08-01T07:09:02Z"],
  ["2025-08-11 17:59", "2025-08-11T17:59:00Z"],
  ["2025-08-11 17:59:32+02", "2025-08-11T15:59:32Z"],
  ["2025-08-11 17:59:32 UTC", "2025-08-11T17:59:32Z"],
  ["2025-08-11 17:59:32,500", "2025-08-11T17:59:32Z"],
  ["20250811", "2025-08-11T00:00:00Z"],
  ["20250811175932", "2025-08-11T17:59:32Z"],
  ["20250811175932123", "2025-08-11T17:59:32Z"],
  ["20250811T175932Z", "2025-08-11T17:59:32Z"],
  [" 2025-08-11 17:59:32 ", "2025-08-11T17:59:32Z"],
  [`2025-08-11 17:59:32.${"0".repeat(40)}`, "2025-08-11T17:59:32Z"],
])("reads the creation time %s as %s", (given, expected) => {
  expect(createdAt(given)).toBe(expected);
});

test.each([
  "11.08.2025",
  "Mon, 11 Aug 2025 17:59:32 GMT",
  "2025-02-30",
  "2025-08-11 24:00:00",
  "2025-08-11 17:60:00",
  "2025-08-11 17:59:60",
  "1999-12-31",
  "2101-01-01",
  "946684800",
  `2025-08-11 17:59:32.${"0".repeat(41)}`,
  12345678,
  "created 2025-08-11 17:59:32",
  "2025-08-11 17:59:32 CET",
  "2025-08-11_17:59:32",
  "2025-08-11 17:59:32.",
  "25-08-11 17:59:32",
  "2025-08-11 17:9:32",
  "2025-08-11 17:59:32+2:00",
  "2025-08-11 17:59:32/02:00",
  0,
  1e300,
  ["2025-08-11 17:59:32"],
])("does not read %s as a creation time", (given) => {
  expect(createdAt(given)).toBeUndefined();
});

test.each([
  ["svc-tts-vc-bob-voice-20250812105009984-838b", "2025-08-12T10:50:09Z"],
  ["svc-tts-vc-bob-voice-20250812105009984", "2025-08-12T10:50:09Z"],
  ["svc-tts-vc-bob-voice-20250812105009-838b", "2025-08-12T10:50:09Z"],
  ["svc-tts-vc-bob-voice-20250812T105009-838b", "2025-08-12T10:50:09Z"],
  ["svc-tts-vc-bob-voice-1", undefined],
  ["svc-tts-vc-bob-voice-202508121050099841-838b", undefined],
  ["svc-tts-vc-bob-voice-20251312105009984-838b", undefined],
  ["svc-tts-vc-bob-20250812105009984-838b", undefined],
])("reads the creation time in the voice name %s as %s", (voice, expected) => {
  expect(createdAtOfVoice(voice)).toBe(expected);
});

test.each([
  ["2025-08-11 17:59:32", "2025-08-11T17:59:32Z"],
  [1754935172, "2025-08-11T17:59:32Z"],
  ["yesterday", "2025-08-12T10:50:09Z"],
  [undefined, "2025-08-12T10:50:09Z"],
])("the time of a listed voice comes from gmt_create %j, else from its name", (gmtCreate, expected) => {
  expect(createdAtOfListed("svc-tts-vc-bob-voice-20250812105009984-838b", gmtCreate)).toBe(expected);
});

test.each([
  ["yesterday\n", "yesterday"],
  [12345, "12345"],
  ["den \u001b[31m11.", "den \\u{1b}[31m11."],
  ["x".repeat(1000), "x".repeat(100)],
  [undefined, undefined],
  [{}, undefined],
  ["", undefined],
])("the time %j in a form that is not known is kept in the service's own words", (gmtCreate, expected) => {
  expect(createdAtOfListed("bob", gmtCreate)).toBe(expected);
});

test.each([
  ["2025-08-11 23:59:59", "2025-08-11"],
  ["2025-08-11T23:59:59-02:00", "2025-08-12"],
  ["yesterday", ""],
])("the day of the time %j, for people, is %j", (created, day) => {
  expect(dayOf(created)).toBe(day);
});

test.each([
  ["2025-08-11 12:00:00", 0],
  ["2025-08-10 12:00:01", 0],
  ["2025-08-10 12:00:00", 1],
  ["2024-08-11 12:00:00", 365],
  // The service's clock may be ahead.
  ["2025-08-13 12:00:00", 0],
  ["yesterday", undefined],
  [undefined, undefined],
])("on 11 August 2025 at noon, a voice of %j is so many full days old: %j", (created, days) => {
  expect(ageDays(created, Date.UTC(2025, 7, 11, 12))).toBe(days);
});
