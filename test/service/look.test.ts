import { Account } from "../../provider/src/service/voices/account";

/** Looks for something with a clock that stands still. `slept`: the waits. */
function looking(forMs: number, look: () => string | undefined) {
  const slept: number[] = [];
  const clock = { now: () => 0, sleep: (ms: number) => Promise.resolve(void slept.push(ms)) };
  const listPage = () => Promise.resolve({ voices: [], total: 0, doubt: undefined, more: undefined });
  const found = new Account({ listPage }, {}, clock).until(forMs, () => Promise.resolve(look()));
  return { slept, found };
}

test.each([
  [0, []],
  [300, [300]],
  [3500, [500, 1000, 2000]],
  [10_000, [500, 1000, 2000, 4000, 2500]],
  [20_000, [500, 1000, 2000, 4000, 5000, 5000, 2500]],
])("looks at once and during %i ms: often at first, and the last time at the very end", async (forMs, waits) => {
  let looks = 0;
  const { slept, found } = looking(forMs, () => {
    looks++;
    return undefined;
  });
  expect((await found).row).toBeUndefined();
  expect(slept).toEqual(waits);
  expect(looks).toBe(waits.length + 1);
});

test("ends with what is found", async () => {
  const results = [undefined, undefined, "voice"];
  expect((await looking(60_000, () => results.shift()).found).row).toBe("voice");
});
