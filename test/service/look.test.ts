import { lookUntilFound } from "../../provider/src/service/voices/look";

test.each([
  [0, []],
  [300, [300]],
  [3500, [500, 1000, 2000]],
  [10_000, [500, 1000, 2000, 4000, 2500]],
  [20_000, [500, 1000, 2000, 4000, 5000, 5000, 2500]],
])("looks at once and during %i ms: often at first, and the last time at the very end", async (forMs, waits) => {
  const slept: number[] = [];
  const clock = { sleep: (ms: number) => Promise.resolve(void slept.push(ms)) };
  let looks = 0;
  const look = () => {
    looks++;
    return Promise.resolve(undefined);
  };
  expect(await lookUntilFound({ clock, forMs }, look)).toBeUndefined();
  expect(slept).toEqual(waits);
  expect(looks).toBe(waits.length + 1);
});

test("ends with what is found", async () => {
  const found = [undefined, undefined, "voice"];
  const clock = { sleep: () => Promise.resolve() };
  expect(await lookUntilFound({ clock, forMs: 60_000 }, () => Promise.resolve(found.shift()))).toBe("voice");
});
