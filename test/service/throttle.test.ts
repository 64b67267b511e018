import { seededRandom } from "../../provider/emulator/draw";
import { RateLimitError, RejectedError } from "../../provider/src/errors";
import type { Clock } from "../../provider/src/service/clock";
import { Throttle } from "../../provider/src/service/throttle";
import { SimulatedTime } from "../support/simulated-time";

/** Whether a service accepts a call that arrives at this moment. */
type Accepts = (nowMs: number) => boolean;

/** Forms in which a service can allow so many calls a second. */
const forms: Record<string, (perSecond: number) => Accepts> = {
  "calendar seconds": (perSecond) => {
    const counts = new Map<number, number>();
    return (nowMs) => {
      const second = Math.floor((nowMs + 370) / 1000);
      counts.set(second, (counts.get(second) ?? 0) + 1);
      return (counts.get(second) ?? 0) <= perSecond;
    };
  },
  "a bucket": (perSecond) => {
    let tokens = perSecond;
    let filledAt = 0;
    return (nowMs) => {
      tokens = Math.min(perSecond, tokens + ((nowMs - filledAt) / 1000) * perSecond);
      filledAt = nowMs;
      if (tokens < 1) return false;
      tokens--;
      return true;
    };
  },
};

const limited = (form: string, perSecond: number) => forms[form]?.(perSecond) ?? (() => true);

/** As with a real clock, some time passes between two readings. */
function advancing(now: () => number): () => number {
  let last = { at: NaN, reads: 0 };
  return () => {
    last = { at: now(), reads: now() === last.at ? last.reads + 1 : 0 };
    return last.at + 1e-6 * last.reads;
  };
}

interface Scene {
  accepts: Accepts;
  calls?: number;
  /** How many calls the engine has under way at once. */
  parallel?: number;
  maxWaitMs?: number;
  retryAfterMs?: number | undefined;
  random?: () => number;
}

async function simulate(scene: Scene) {
  const { calls = 150, parallel = 16, random = () => 0.5 } = scene;
  const { retryAfterMs } = scene;
  const latencyMs = 50;
  const time = new SimulatedTime();
  const clock = { now: advancing(time.now), sleep: time.sleep, random };
  const lines: string[] = [];
  const sends = Array.from({ length: calls }, () => 0);
  const sentAt: number[] = [];
  const errors: unknown[] = [];
  const throttle = new Throttle({
    name: "voices",
    clock,
    maxConcurrency: 16,
    maxWaitMs: scene.maxWaitMs ?? 900_000,
    log: (line) => lines.push(line),
  });
  let next = 0;
  const worker = async () => {
    while (next < calls) {
      const call = next++;
      const send = async () => {
        sends[call] = (sends[call] ?? 0) + 1;
        sentAt.push(time.now());
        const onWayMs = 0.3 * latencyMs * random();
        await time.sleep(onWayMs);
        const accepted = scene.accepts(time.now());
        await time.sleep(latencyMs - onWayMs);
        if (!accepted) throw new RateLimitError("too many calls", { status: 429, retryAfterMs });
      };
      await throttle.run(send).catch((error: unknown) => errors.push(error));
    }
  };
  await time.run(Promise.all(Array.from({ length: Math.min(parallel, calls) }, worker)));
  return { seconds: time.now() / 1000, sends, sentAt, lines, errors, refusals: total(sends) - calls };
}

const total = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0);
const median = (counts: number[]) => [...counts].sort((a, b) => a - b)[counts.length >> 1] ?? 0;
const seeds = Array.from({ length: 10 }, (_, index) => 7919 * (index + 1));

test.each([
  // A tool that sends again after `Retry-After`, and does nothing else, takes 0.5 and 5.5 s.
  { retryAfterMs: 0, most: 0.75 },
  { retryAfterMs: 1000, most: 8.2 },
])("with one call in three refused by chance, %j: 100 voices take at most that many seconds", async (scene) => {
  const seconds: number[] = [];
  for (const seed of seeds) {
    const random = seededRandom(seed);
    const run = await simulate({ ...scene, calls: 100, random, accepts: () => random() >= 1 / 3 });
    expect(run.errors).toEqual([]);
    seconds.push(run.seconds);
  }
  expect(median(seconds)).toBeLessThanOrEqual(scene.most);
  // In one run of thirty, a row of eight by chance looks like a limit for some seconds.
  expect(Math.max(...seconds)).toBeLessThanOrEqual(scene.most + 20);
});

test.each(Object.keys(forms))(
  "10 creates a second by %s: 100 voices at once take at most 1.3 of the possible time and 20 refusals",
  async (form) => {
    for (const seed of seeds.slice(0, 3)) {
      // A set hands over all of its creates at once.
      const scene = { accepts: limited(form, 10), calls: 100, parallel: 100, retryAfterMs: 1000 };
      const { seconds, refusals, errors } = await simulate({ ...scene, random: seededRandom(seed) });
      expect(errors).toEqual([]);
      expect(seconds).toBeLessThanOrEqual(13);
      expect(refusals).toBeLessThanOrEqual(20);
    }
  },
);

test("a refused call waits for as long as its 429 asks, while others go on", async () => {
  let count = 0;
  const scene = { accepts: () => ++count !== 3, calls: 100, parallel: 4, retryAfterMs: 20_000 };
  const { sentAt, seconds } = await simulate(scene);
  expect(sentAt.filter((at) => at < 2000)).toHaveLength(100);
  expect(sentAt.filter((at) => at >= 2000)).toHaveLength(1);
  expect(seconds).toBeCloseTo(20, 0);
});

test("after a row of 429s, honours Retry-After for all callers at once", async () => {
  let count = 0;
  const scene = { accepts: () => ++count > 8, calls: 40, parallel: 8, retryAfterMs: 20_000 };
  const { sentAt, errors } = await simulate(scene);
  expect(errors).toEqual([]);
  expect(sentAt.filter((at) => at > 0 && at < 20_000)).toEqual([]);
});

test("a service that refuses everything for a minute is asked rarely, and work goes on afterwards", async () => {
  let nowMs = 0;
  const accepts = (now: number) => (nowMs = now) > 60_000;
  const { sentAt, errors, seconds } = await simulate({ accepts, calls: 100 });
  expect(errors).toEqual([]);
  expect(sentAt.filter((at) => at < 60_000).length).toBeLessThan(16 + 10);
  expect(seconds).toBeLessThan(120);
  expect(nowMs).toBeGreaterThan(60_000);
});

test("a call that waits for too long fails with the rate that was found", async () => {
  const { errors, sends } = await simulate({
    accepts: limited("a bucket", 1),
    maxWaitMs: 10_000,
    calls: 60,
    parallel: 60,
  });
  expect(errors.length).toBeGreaterThan(20);
  expect(errors[0]).toBeInstanceOf(RateLimitError);
  expect(errors[0]).toMatchObject({ billed: "no" });
  expect((errors[0] as Error).message).toMatch(/could not be sent within 10 s .*seems to accept [\d.]+ a second/);
  expect(sends.filter((count) => count === 0).length).toBeGreaterThan(0);
});

const throttleWith = (clock: Clock) =>
  new Throttle({ name: "x", clock, maxConcurrency: 16, maxWaitMs: 900_000, log: () => undefined });

test("logs every half minute how many calls are done, how many wait, and at what rate", async () => {
  const { lines } = await simulate({ accepts: limited("a bucket", 1), calls: 100, parallel: 30 });
  expect(lines.length).toBeGreaterThanOrEqual(3);
  for (const line of lines) {
    expect(line).toMatch(
      /the rate of voices \(429\): \d+ calls done, \d+ waiting for up to [\d.]+ s, [\d.]+ a second$/,
    );
  }
});

test("a cancelled call stops waiting, with the 429 that shows that nothing was done", async () => {
  const time = new SimulatedTime();
  let cancel: (error: Error) => void = () => undefined;
  const clock = {
    now: time.now,
    random: time.random,
    sleep: () => new Promise<void>((_, reject) => (cancel = reject)),
  };
  const throttle = throttleWith(clock);
  const refusal = new RateLimitError("too many calls", { status: 429, retryAfterMs: 60_000 });
  const refused = throttle.run(() => Promise.reject(refusal));
  await new Promise((resolve) => setImmediate(resolve));
  cancel(new Error("cancelled"));
  await expect(refused).rejects.toBe(refusal);
});

test("a 429 after which the call must not be sent again ends it at once", async () => {
  const time = new SimulatedTime();
  const throttle = throttleWith(time);
  const full = new RejectedError("the account is full", { status: 429 });
  // What it asks the service needs a turn, too.
  const isFull = () =>
    throttle
      .run(() => Promise.resolve())
      .then(() => {
        throw full;
      });
  const refusal = new RateLimitError("too many calls", { status: 429, retryAfterMs: 60_000 });
  await expect(time.run(throttle.run(() => Promise.reject(refusal), isFull))).rejects.toBe(full);
  expect(time.now()).toBe(0);
});
