import { chaos } from "../../tools/chaos/chaos";
import { fastStart } from "../support/stack";

/** A small run of `npm run chaos`. */

beforeAll(() => void Object.assign(process.env, fastStart));

const each = { voices: 24, createMs: 100, log: () => undefined };

test("faults and kills: every voice is billed once, none is left over, none is lost", async () => {
  const results = await chaos({ ...each, faults: 0.2, kills: 3, seed: 1 });
  expect(results).toMatchObject([{ wanted: 24, billed: 24, present: 24, orphaned: 0, lost: 0 }]);
  expect(results[0]?.kills).toBeGreaterThan(0);
});

test("the same for creating, replacing and destroying while the engine saves its state only at the end", async () => {
  const phases = ["up", "replace", "destroy"] as const;
  const results = await chaos({ ...each, faults: 0.1, kills: 2, seed: 2, skipCheckpoints: true, phases });
  expect(results).toMatchObject([
    { phase: "up", wanted: 24, billed: 24, present: 24, orphaned: 0, lost: 0 },
    { phase: "replace", wanted: 24, billed: 24, present: 24, orphaned: 0, lost: 0 },
    { phase: "destroy", wanted: 0, billed: 0, present: 0, orphaned: 0, lost: 0 },
  ]);
});

test("faults, kills and a limit of five creates a second: every voice is billed once", async () => {
  const results = await chaos({ ...each, faults: 0.1, kills: 2, seed: 4, createMs: 50, createsPerSecond: 5 });
  expect(results).toMatchObject([{ wanted: 24, billed: 24, present: 24, orphaned: 0, lost: 0 }]);
});

test("with creates slower than a restart every voice is billed once, because the next run waits for them", async () => {
  const results = await chaos({ ...each, voices: 12, faults: 0, kills: 1, seed: 3, createMs: 6000 });
  expect(results).toMatchObject([{ wanted: 12, billed: 12, present: 12, orphaned: 0, lost: 0 }]);
});
