import { accountDifference, accountFingerprint, addressIn } from "../../provider/src/rules/account-fingerprint";

test("the fingerprint of an account never changes, because it is in state files", () => {
  expect(accountFingerprint("https://a", "sk-1")).toBe("https://a dbb008");
  expect(accountFingerprint("https://A:443/x", "sk-1")).toMatch(/^https:\/\/a\/x [0-9a-f]{6}$/);
});

test.each([
  ["https://a dbb008", "https://a"],
  ["https://a/x dbb008", "https://a/x"],
  ["https://a", "https://a"],
  [" dbb008", undefined],
  ["", undefined],
  [undefined, undefined],
])("%j records the address %j", (fingerprint, address) => expect(addressIn(fingerprint)).toBe(address));

const of = (address: string, key = "sk-1") => accountFingerprint(address, key);
const [local, otherPort] = [of("http://127.0.0.1:1"), of("http://localhost:2")];

test.each<[recorded: string, current: string, difference: ReturnType<typeof accountDifference>]>([
  [of("https://a"), of("https://a/"), "none"],
  [of("https://a"), of("https://a", "sk-2"), "key"],
  [of("https://a"), of("https://b"), "address"],
  [of("https://a"), of("https://a/x"), "address"],
  [of("https://a"), local, "machine"],
  [local, of("https://a"), "machine"],
  [local, otherPort, "port"],
  [local, of("http://127.0.0.1:1", "sk-2"), "key"],
  ["edited by hand", of("https://a"), "address"],
])("%s and %s differ in: %s", (recorded, current, difference) =>
  expect(accountDifference(recorded, current)).toBe(difference),
);
