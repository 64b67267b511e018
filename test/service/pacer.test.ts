import { pacer } from "../../provider/src/service/clock";
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
