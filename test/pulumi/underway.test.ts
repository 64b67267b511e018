import { Underway } from "../../provider/src/lifecycle/underway";

/** A failure that says nothing of the other calls comes after them, because the engine begins nothing more after it. */

const clock = { sleep: () => turn() };
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A call that ends when it is told to. */
function call(underway: Underway) {
  let end = () => {};
  const done = underway.run(() => new Promise<void>((resolve) => (end = resolve)));
  return { done, end: () => end() };
}

test("a call that waits goes on once the others have ended, however they end", async () => {
  const underway = new Underway(clock);
  const seen: string[] = [];
  const others = [call(underway), call(underway)];
  const failing = underway.run(() => Promise.reject(new Error("another failure")));
  const waiting = underway.run(async () => {
    await underway.othersDone();
    seen.push("waited");
  });
  await expect(failing).rejects.toThrow("another failure");
  others[0]?.end();
  await turn();
  expect(seen).toEqual([]);
  others[1]?.end();
  await waiting;
  expect(seen).toEqual(["waited"]);
});

test("calls that wait do not wait for one another", async () => {
  const underway = new Underway(clock);
  await Promise.all([1, 2, 3].map(() => underway.run(() => underway.othersDone())));
});

test("a call that comes a moment later, as of the next resource of the program, is waited for too", async () => {
  const underway = new Underway(clock);
  const waiting = underway.run(() => underway.othersDone()).then(() => seen.push("waited"));
  const seen: string[] = [];
  await Promise.resolve();
  const next = call(underway);
  for (let turns = 0; turns < 5; turns++) await turn();
  expect(seen).toEqual([]);
  next.end();
  await waiting;
});

test("all calls have ended when the last one has, also one that begins meanwhile", async () => {
  const underway = new Underway(clock);
  await underway.ended();
  const [first, second] = [call(underway), call(underway)];
  let hasEnded = false;
  const ended = underway.ended().then(() => (hasEnded = true));
  first.end();
  await turn();
  expect(hasEnded).toBe(false);
  second.end();
  await ended;
});
