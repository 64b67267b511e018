import { createdAt, createdAtOfListed, createdAtOfVoice } from "../../provider/src/rules/time";

test.each([
  ["2025-08-11 17:59:32", "2025-08-11T17:59:32Z"],
  ["2025-08-11T17:59:32.123", "2025-08-11T17:59:32Z"],
  ["2025-08-11T17:59:32Z", "2025-08-11T17:59:32Z"],
  ["2025-08-11 17:59:32.5Z", "2025-08-11T17:59:32Z"],
  ["2025-08-11T17:59:32+02:00", "2025-08-11T15:59:32Z"],
  ["2025-08-11T17:59:32-0530", "2025-08-11T23:29:32Z"],
  [1754935172, "2025-08-11T17:59:32Z"],
  [1754935172.5, "2025-08-11T17:59:32Z"],
  [1754935172123, "2025-08-11T17:59:32Z"],
  [4102444800, "2100-01-01T00:00:00Z"],
  ["1754935172", "2025-08-11T17:59:32Z"],
  ["1754935172123", "2025-08-11T17:59:32Z"],
])("reads the creation time %s as %s", (given, expected) => {
  expect(createdAt(given)).toBe(expected);
});

test.each([
  undefined,
  "",
  "11.08.2025",
  "2025-13-11 17:59:32",
  "created 2025-08-11 17:59:32",
  "2025-08-11 17:59:32 CET",
  "2025-08-11_17:59:32",
  "2025-08-11 17:59:32.",
  "2025-08-11 17:59:32.x",
  "2025-08-11 17:59",
  "2025-08-11",
  "2025-8-11 17:59:32",
  "2025-08-1 17:59:32",
  "25-08-11 17:59:32",
  "2025-08-11 7:59:32",
  "2025-08-11 17:9:32",
  "2025-08-11 17:59:2",
  "2025-08-11 17:59:32+02",
  "2025-08-11 17:59:32+2:00",
  "2025-08-11 17:59:32+02:0",
  "2025-08-11 17:59:32/02:00",
  "20250811175932",
  0,
  -1,
  NaN,
  1e300,
  null,
  {},
  ["2025-08-11 17:59:32"],
])("does not read %s as a creation time", (given) => {
  expect(createdAt(given)).toBeUndefined();
});

test.each([
  ["svc-tts-vc-bob-voice-20250812105009984-838b", "2025-08-12T10:50:09Z"],
  ["svc-tts-vc-bob-voice-20250812105009984", "2025-08-12T10:50:09Z"],
  ["svc-tts-vc-bob-voice-1", undefined],
  ["svc-tts-vc-bob-voice-2025081210500998-838b", undefined],
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

test("the time of a listed voice is unknown when neither field shows it", () => {
  expect(createdAtOfListed("bob", "yesterday")).toBeUndefined();
});
