import { seededRandom } from "../../provider/emulator/draw";
import { RateLimitError, RejectedError } from "../../provider/src/errors";
import { parseRetryAfter } from "../../provider/src/service/retry";
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
  "any second": (perSecond) => {
    let accepted: number[] = [];
    return (nowMs) => {
      accepted = accepted.filter((at) => at > nowMs - 1000);
      if (accepted.length >= perSecond) return false;
      accepted.push(nowMs);
      return true;
    };
  },
};

const limited = (form: string, perSecond: number) => forms[form]?.(perSecond) ?? (() => true);

interface Scene {
  accepts: Accepts;
  calls?: number;
  /** How many calls the engine has under way at once. */
  parallel?: number;
  latencyMs?: number;
  /** The header `Retry-After` of a 429 that is sent at this date, in milliseconds since 1970. */
  retryAfter?: string | ((dateMs: number) => string) | undefined;
  random?: () => number;
}

const dateOf = (simulatedMs: number) => Date.parse("2026-06-01T08:00:00Z") + simulatedMs;

async function simulate(scene: Scene) {
  const { calls = 150, parallel = 16, latencyMs = 50, random = () => 0.5, retryAfter } = scene;
  const time = new SimulatedTime();
  const lines: string[] = [];
  const sentAt: number[] = [];
  const errors: RateLimitError[] = [];
  const log = (line: string) => lines.push(line);
  const throttle = new Throttle({ name: "voices", clock: time, maxConcurrency: 16, maxWaitMs: 900_000, log });
  const send = async () => {
    sentAt.push(time.now());
    const onWayMs = 0.3 * latencyMs * random();
    await time.sleep(onWayMs);
    const accepted = scene.accepts(time.now());
    await time.sleep(latencyMs - onWayMs);
    if (accepted) return;
    const header = typeof retryAfter === "function" ? retryAfter(dateOf(time.now())) : retryAfter;
    throw new RateLimitError("too many calls", {
      status: 429,
      retryAfterMs: parseRetryAfter(header, dateOf(time.now())),
    });
  };
  let next = 0;
  const worker = async () => {
    while (next++ < calls) await throttle.run(send).catch((error: unknown) => errors.push(error as RateLimitError));
  };
  await time.run(Promise.all(Array.from({ length: Math.min(parallel, calls) }, worker)));
  return { seconds: time.now() / 1000, sentAt, lines, errors, refusals: sentAt.length - calls };
}

test.each(Object.keys(forms).flatMap((form) => [16, 150].map((parallel) => [form, parallel] as const)))(
  "10 calls in %s, %i at once: 150 creates take at most 1.4 of the limit's time, and 40 refusals",
  async (form, parallel) => {
    for (let run = 1; run <= 10; run++) {
      const scene = { accepts: limited(form, 10), parallel, random: seededRandom(7919 * run) };
      const { seconds, refusals, errors } = await simulate(scene);
      expect(errors).toEqual([]);
      expect(seconds).toBeLessThanOrEqual(1.4 * 15);
      expect(refusals).toBeLessThanOrEqual(40);
    }
  },
);

test.each([50, 400, 2000])(
  "a service that refuses everything for a minute, after %i ms each, is asked at most 26 times, and work goes on",
  async (latencyMs) => {
    const { sentAt, errors, seconds } = await simulate({ accepts: (now) => now > 60_000, calls: 100, latencyMs });
    expect(errors).toEqual([]);
    expect(sentAt.filter((at) => at < 60_000).length).toBeLessThanOrEqual(26);
    expect(seconds).toBeLessThan(120);
  },
);

test.each([30, 100, 1000])("a single 429, to the third of %i calls, costs at most 6 s", async (calls) => {
  let count = 0;
  const usual = await simulate({ accepts: () => true, calls });
  const { seconds } = await simulate({ accepts: () => ++count !== 3, calls });
  expect(seconds - usual.seconds).toBeLessThanOrEqual(6);
});

test.each<[string, Scene["retryAfter"]]>([
  ["seconds", "20"],
  ["a date", (dateMs) => new Date(dateMs + 20_000).toUTCString()],
  ["a time since 1970", (dateMs) => String(Math.floor(dateMs / 1000) + 20)],
])("after a 429 no call is sent until its Retry-After, %s, has passed", async (_, retryAfter) => {
  let count = 0;
  const { sentAt, errors, lines } = await simulate({
    accepts: () => ++count !== 3,
    calls: 40,
    parallel: 4,
    retryAfter,
  });
  expect(errors).toEqual([]);
  const beforeMs = sentAt.filter((at) => at < 1000);
  expect(beforeMs.length).toBeLessThan(10);
  expect(Math.min(...sentAt.filter((at) => !beforeMs.includes(at)))).toBeGreaterThanOrEqual(19_000);
  expect(lines).toEqual([expect.stringMatching(/^voices: too many calls \(429\), a pause of (19|20)\.?\d* s$/)]);
});

test("a call that 429s have kept waiting for 900 s fails, and was not billed", async () => {
  const { errors, sentAt, seconds } = await simulate({ accepts: () => false, calls: 100, parallel: 100 });
  expect(errors).toHaveLength(100);
  expect(seconds).toBeGreaterThan(900 - 31);
  expect(seconds).toBeLessThanOrEqual(900);
  expect(sentAt.length).toBeLessThan(60);
  for (const error of errors) {
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ billed: "no" });
    expect(error.message).toMatch(
      /^the call waited 8\d\d.*s, and the next may be sent in \d+.*s: too many calls.*Run the/,
    );
  }
});

test("calls that wait for a connection, not for a 429, do not fail after 900 s", async () => {
  let count = 0;
  const { errors, seconds } = await simulate({
    accepts: () => ++count !== 150,
    ...{ calls: 200, parallel: 200, latencyMs: 100_000 },
  });
  expect(seconds).toBeGreaterThan(1000);
  expect(errors).toEqual([]);
});

test("a service that asks to wait for longer than 900 s fails the calls at once", async () => {
  const { errors, seconds } = await simulate({ accepts: () => false, calls: 20, retryAfter: "1000" });
  expect(seconds).toBeLessThan(1);
  expect(errors).toHaveLength(20);
  expect(errors[0]?.message).toContain("the next may be sent in 1000 s: too many calls");
});

const throttleWith = (clock: SimulatedTime, maxWaitMs = 900_000) =>
  new Throttle({ name: "x", clock, maxConcurrency: 16, maxWaitMs, log: () => undefined });
const refusal = new RateLimitError("too many calls", { status: 429, retryAfterMs: 60_000 });

test("a cancelled call stops waiting, with the 429 that shows that nothing was done", async () => {
  const time = new SimulatedTime();
  const throttle = throttleWith(time);
  time.sleep = () => Promise.reject(new Error("cancelled"));
  await expect(throttle.run(() => Promise.reject(refusal))).rejects.toBe(refusal);
});

test("a 429 after which the call must not be sent again ends it", async () => {
  const time = new SimulatedTime();
  const throttle = throttleWith(time);
  const full = new RejectedError("the account is full", { status: 429 });
  let sent = 0;
  // What it asks the service needs a turn, too, and so waits for the end of the pause.
  const isFull = () =>
    throttle
      .run(() => Promise.resolve())
      .then(() => {
        throw full;
      });
  await expect(time.run(throttle.run(() => (sent++, Promise.reject(refusal)), isFull))).rejects.toBe(full);
  expect([sent, time.now()]).toEqual([1, 60_000]);
});

test("calls that hold all connections can be refused together, and each can then ask the service", async () => {
  const time = new SimulatedTime();
  const throttle = throttleWith(time);
  let asked = 0;
  const ask = () => throttle.run(() => Promise.resolve(asked++)).then(() => undefined);
  let sent = 0;
  const send = async () => {
    const isRefused = ++sent <= 16;
    await time.sleep(10);
    if (isRefused) throw new RateLimitError("too many calls", { status: 429 });
  };
  await time.run(Promise.all(Array.from({ length: 16 }, () => throttle.run(send, ask))));
  expect([sent, asked]).toEqual([32, 16]);
});
