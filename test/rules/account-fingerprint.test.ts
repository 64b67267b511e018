import { accountFingerprint } from "../../provider/src/rules/addresses";

test("the fingerprint of an account never changes, because it is in state files", () => {
  expect(accountFingerprint("https://a", "sk-1")).toBe("https://a dbb008");
  expect(accountFingerprint("https://A:443/x", "sk-1")).toMatch(/^https:\/\/a\/x [0-9a-f]{6}$/);
});
