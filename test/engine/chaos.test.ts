import { chaos } from "../../tools/chaos/chaos";

/** A small run of `npm run chaos`. */

test.each([1, 2])(
  "faults and kills, seed %s: every voice is billed once, none is left over, none is lost",
  async (seed) => {
    const result = await chaos({ voices: 24, faults: 0.2, kills: 3, seed, createMs: 100, log: () => undefined });
    expect(result).toMatchObject({ wanted: 24, billed: 24, present: 24, orphaned: 0, lost: 0 });
    expect(result.kills).toBeGreaterThan(0);
  },
);

test("faults, kills and a limit of five creates a second: every voice is billed once", async () => {
  const options = { voices: 24, faults: 0.1, kills: 2, seed: 4, createMs: 50, createsPerSecond: 5 };
  const result = await chaos({ ...options, log: () => undefined });
  expect(result).toMatchObject({ wanted: 24, billed: 24, present: 24, orphaned: 0, lost: 0 });
});

test("with creates slower than a restart every voice is billed once, because the next run waits for them", async () => {
  const result = await chaos({ voices: 12, faults: 0, kills: 1, seed: 3, createMs: 6000, log: () => undefined });
  expect(result).toMatchObject({ wanted: 12, billed: 12, present: 12, orphaned: 0, lost: 0 });
});
