import { keyQuestion } from "../../provider/src/rules/other-account";

const asked = (recorded: string, current: string) =>
  keyQuestion("is not in this account", "svc-v", recorded, current, "studio/prod", "https://a.example");

test.each([
  ["aaaa-111111", "aaaa-222222", "the same address, another key"],
  ["aaaa-111111", "bbbb-111111", "another address"],
  ["aaaa-111111", "bbbb-222222", "another address"],
])("recorded %s, now %s: %s", (recorded, current, difference) => {
  expect(asked(recorded, current).uncertain).toBe(
    `The voice svc-v is not in this account, and the state records another account (${recorded} then, ${current} now: ` +
      `${difference}). It was left as it is.`,
  );
});

test("yes is for the stack: the key counts as one of the account, and what is not listed as deleted", () => {
  const { kind, stack, origin, request, yes, otherwise } = asked("aaaa-111111", "aaaa-222222");
  expect({ kind, stack, origin, request }).toEqual({
    ...{ kind: "key", stack: "studio/prod", origin: "https://a.example", request: undefined },
  });
  expect(yes).toMatch(
    /this key counts as a new one of the same account, and voices .* does not have count as deleted$/,
  );
  expect(otherwise).toMatch(/^Otherwise set the key and the address/);
});
