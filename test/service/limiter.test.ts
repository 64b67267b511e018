import { Limiter } from "../../provider/src/service/limiter";
import { SimulatedTime } from "../support/simulated-time";

test("runs at most so much work at once, in the order in which it came", async () => {
  const time = new SimulatedTime();
  const limiter = new Limiter({ maxConcurrent: 2 });
  const started: number[] = [];
  let running = 0;
  let most = 0;
  const work = Array.from({ length: 7 }, (_, index) =>
    limiter.run(async () => {
      started.push(index);
      most = Math.max(most, ++running);
      await time.sleep(100 - 10 * index);
      running--;
      return index;
    }),
  );
  expect(await time.run(Promise.all(work))).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(started).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(most).toBe(2);
});

test("starts at most once in each interval, and at once after a pause", async () => {
  const time = new SimulatedTime();
  const limiter = new Limiter({ interval: { ms: 500, clock: time } });
  const starts: number[] = [];
  const start = () => limiter.run(() => void starts.push(time.now()));
  await time.run(Promise.all([start(), start(), start()]));
  await time.run(time.sleep(2000));
  await time.run(Promise.all([start(), start()]));
  expect(starts).toEqual([0, 500, 1000, 3000, 3500]);
});

test("work that fails, or whose wait is cancelled, gives its place to the next", async () => {
  const time = new SimulatedTime();
  let cancels = true;
  const clock = {
    now: time.now,
    sleep: (ms: number) => (cancels ? Promise.reject(new Error("cancelled")) : time.sleep(ms)),
  };
  const limiter = new Limiter({ maxConcurrent: 1, interval: { ms: 10, clock } });
  await expect(limiter.run(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  await expect(limiter.run(() => 1)).rejects.toThrow("cancelled");
  cancels = false;
  expect(await time.run(limiter.run(() => 2))).toBe(2);
});

test("a limiter without limits runs everything at once", async () => {
  const limiter = new Limiter({});
  let running = 0;
  const release: (() => void)[] = [];
  const work = [1, 2, 3].map(() =>
    limiter.run(() => {
      running++;
      return new Promise<void>((resolve) => release.push(resolve));
    }),
  );
  await Promise.resolve();
  await Promise.resolve();
  expect(running).toBe(3);
  release.forEach((each) => each());
  await Promise.all(work);
});
