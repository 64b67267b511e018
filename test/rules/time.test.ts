import { createdAt, createdAtOfVoice } from "../../provider/src/rules/time";
import { accountFingerprint } from "../../provider/src/rules/account-fingerprint";

test.each([
  ["2025-08-11 17:59:32", "2025-08-11T17:59:32Z"],
  ["2025-08-11T17:59:32.123", "2025-08-11T17:59:32Z"],
  ["2025-13-11 17:59:32", undefined],
  ["11.08.2025", undefined],
  [undefined, undefined],
])("gmt_create %s is %s", (given, expected) => {
  expect(createdAt(given)).toBe(expected);
});

test("a voice's own name tells when it was made, where it has the shape", () => {
  expect(createdAtOfVoice("svc-tts-vc-bob-voice-20250812105009984-838b")).toBe("2025-08-12T10:50:09Z");
  expect(createdAtOfVoice("svc-tts-vc-bob-voice-1")).toBeUndefined();
});

test("a fingerprint tells address and key apart, and tells neither", () => {
  const [address, key] = accountFingerprint("https://a", "sk-1").split("-");
  expect(accountFingerprint("https://a", "sk-2").split("-")).toEqual([
    address,
    expect.not.stringMatching(`^${key}$`) as unknown,
  ]);
  expect(accountFingerprint("https://b", "sk-1").split("-")[0]).not.toBe(address);
  expect(accountFingerprint("https://a", "sk-1")).toMatch(/^[0-9a-f]{4}-[0-9a-f]{6}$/);
});
