import { pacer, steady, systemClock } from "../../provider/src/service/clock";
import { SimulatedTime } from "../support/simulated-time";

test("starts at most once in each interval, and at once after a pause", async () => {
  const time = new SimulatedTime();
  const acquireSlot = pacer(500, time);
  const starts: number[] = [];
  const start = () => acquireSlot().then(() => void starts.push(time.now()));
  await time.run(Promise.all([start(), start(), start()]));
  await time.run(time.sleep(2000));
  await time.run(Promise.all([start(), start()]));
  expect(starts).toEqual([0, 500, 1000, 3000, 3500]);
});

test("a wait that is cancelled rejects, and the next one can pass", async () => {
  const time = new SimulatedTime();
  let cancels = true;
  const clock = {
    now: time.now,
    sleep: (ms: number) => (cancels ? Promise.reject(new Error("cancelled")) : time.sleep(ms)),
  };
  const acquireSlot = pacer(10, clock);
  await acquireSlot();
  await expect(acquireSlot()).rejects.toThrow("cancelled");
  cancels = false;
  await time.run(acquireSlot());
});

test("a clock that is set back by an hour holds no call", async () => {
  let nowMs = 1_780_315_200_000;
  jest.spyOn(systemClock, "now").mockImplementation(() => nowMs);
  const slept: number[] = [];
  const acquireSlot = pacer(10, steady({ ...systemClock, sleep: (ms) => Promise.resolve(void slept.push(ms)) }));
  await acquireSlot();
  nowMs -= 3_600_000;
  await acquireSlot();
  jest.restoreAllMocks();
  expect(slept.filter((ms) => ms > 10)).toEqual([]);
});
