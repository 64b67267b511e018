import { accountFingerprint, addressIn } from "../../provider/src/rules/account-fingerprint";

test("the fingerprint of an account never changes, because it is in state files", () => {
  expect(accountFingerprint("https://a", "sk-1")).toBe("44f8-dbb008");
});

test("the first part identifies the address, and the second part the address and the key", () => {
  const [address, account] = accountFingerprint("https://a", "sk-1").split("-");
  const [sameAddress, otherKey] = accountFingerprint("https://a", "sk-2").split("-");
  const [otherAddress, sameKey] = accountFingerprint("https://b", "sk-1").split("-");
  expect(sameAddress).toBe(address);
  expect([addressIn(`${address}-${account}`), addressIn(undefined)]).toEqual([address, undefined]);
  expect(otherAddress).not.toBe(address);
  expect(new Set([account, otherKey, sameKey]).size).toBe(3);
});
