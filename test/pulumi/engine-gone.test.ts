import { whenEngineIsGone } from "../../provider/src/engine-alive";

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test("the engine counts as gone when it was gone twice in a row, and the work is done once", async () => {
  const looks = [true, false, true, false, false, false, false];
  let looked = 0;
  const work = jest.fn();
  whenEngineIsGone(() => (looks[looked++] ? Promise.resolve() : Promise.reject(new Error("gone"))), work, 1000);
  await jest.advanceTimersByTimeAsync(4000);
  expect(work).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(work).toHaveBeenCalledTimes(1);
  expect(looked).toBe(5);
});
