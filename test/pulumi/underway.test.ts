import { Underway } from "../../provider/src/lifecycle/cancel";

/** A call that ends when it is told to. */
function call(underway: Underway) {
  let end = () => {};
  const done = underway.run(() => new Promise<void>((resolve) => (end = resolve)));
  return { done, end: () => end() };
}

test("all calls have ended when the last one has, also one that begins meanwhile", async () => {
  const underway = new Underway();
  await underway.ended();
  const [first, second] = [call(underway), call(underway)];
  let hasEnded = false;
  const ended = underway.ended().then(() => (hasEnded = true));
  first.end();
  await first.done;
  expect(hasEnded).toBe(false);
  second.end();
  await ended;
});
