import { RateLimitError, RejectedError } from "../../provider/src/errors";
import { Throttle } from "../../provider/src/service/throttle";
import { SimulatedTime } from "../support/simulated-time";

/** Forms in which a service can allow `perSecond` calls a second: whether a call is accepted at this moment. */
const forms: Record<string, (perSecond: number) => (nowMs: number) => boolean> = {
  "calendar seconds": (perSecond) => {
    const counts = new Map<number, number>();
    return (nowMs) => {
      const second = Math.floor(nowMs / 1000);
      counts.set(second, (counts.get(second) ?? 0) + 1);
      return (counts.get(second) ?? 0) <= perSecond;
    };
  },
  "a sliding second": (perSecond) => {
    let accepted: number[] = [];
    return (nowMs) => {
      accepted = accepted.filter((at) => at > nowMs - 1000);
      return accepted.length < perSecond && accepted.push(nowMs) > 0;
    };
  },
  "a bucket that holds one second": bucket(1),
  "a bucket that holds ten seconds": bucket(10),
};

function bucket(seconds: number) {
  return (perSecond: number) => {
    let tokens = perSecond * seconds;
    let filledAt = 0;
    return (nowMs: number) => {
      tokens = Math.min(perSecond * seconds, tokens + ((nowMs - filledAt) / 1000) * perSecond);
      filledAt = nowMs;
      if (tokens < 1) return false;
      tokens--;
      return true;
    };
  };
}

interface Scene {
  calls?: number;
  /** How many calls the engine has under way at once. */
  parallel?: number;
  maxConcurrency?: number;
  latencyMs?: number;
  refusalMs?: number;
  maxWaitMs?: number;
  accepts: (nowMs: number) => boolean;
  retryAfterMs?: number;
}

async function simulate(scene: Scene) {
  const { calls = 150, parallel = 16, maxConcurrency = 16, latencyMs = 50, refusalMs = 5, retryAfterMs } = scene;
  const time = new SimulatedTime();
  const lines: string[] = [];
  const throttle = new Throttle({
    name: "voices",
    clock: time,
    maxConcurrency,
    maxWaitMs: scene.maxWaitMs ?? 900_000,
    log: (line) => lines.push(line),
  });
  const sends = Array.from({ length: calls }, () => 0);
  const sentAt: number[] = [];
  const errors: unknown[] = [];
  let next = 0;
  const worker = async () => {
    while (next < calls) {
      const call = next++;
      const send = async () => {
        sends[call] = (sends[call] ?? 0) + 1;
        sentAt.push(time.now());
        const accepted = scene.accepts(time.now());
        await time.sleep(accepted ? latencyMs : refusalMs);
        if (!accepted) throw new RateLimitError("too many calls", { status: 429, retryAfterMs });
      };
      await throttle.run(send).catch((error: unknown) => errors.push(error));
    }
  };
  await time.run(Promise.all(Array.from({ length: Math.min(parallel, calls) }, worker)));
  return { seconds: time.now() / 1000, sends, sentAt, lines, errors };
}

const cases = Object.keys(forms).flatMap((form) =>
  [4, 16, 64].flatMap((parallel) => [50, 300, 2000].map((latencyMs) => [form, parallel, latencyMs] as const)),
);

describe("150 creates at three a second take at most twice the ideal time and two sends each", () => {
  test.each(cases)("%s, %i in parallel, %i ms each", async (form, parallel, latencyMs) => {
    const accepts = forms[form]?.(3) ?? (() => true);
    const { seconds, sends, errors } = await simulate({ accepts, parallel, maxConcurrency: parallel, latencyMs });
    expect(errors).toEqual([]);
    // With four in parallel and two seconds each, the calls themselves allow two a second.
    const ideal = 150 / Math.min(3, (parallel * 1000) / latencyMs);
    expect(seconds).toBeLessThanOrEqual(2 * ideal);
    expect(total(sends)).toBeLessThanOrEqual(1.25 * 150);
    // Behind a first burst of thirty, the allowed rate shows only after some more refusals.
    const mostSends = form === "a bucket that holds ten seconds" ? 4 : 2;
    expect(Math.max(...sends)).toBeLessThanOrEqual(mostSends);
  });
});

function total(counts: number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

test.each([1, 3, 20, 100])("finds a rate of %i a second", async (perSecond) => {
  const accepts = bucket(1)(perSecond);
  const { seconds, sends } = await simulate({ accepts, calls: 60 * perSecond, parallel: 64, maxConcurrency: 64 });
  expect(seconds).toBeLessThan(120);
  expect(total(sends)).toBeLessThan(1.3 * 60 * perSecond + 64);
});

test("does not limit a service that accepts everything", async () => {
  const { seconds, sends } = await simulate({ accepts: () => true, calls: 160 });
  expect(seconds).toBeLessThan(0.6);
  expect(Math.max(...sends)).toBe(1);
});

test("a single 429 costs a few seconds only", async () => {
  let count = 0;
  const { seconds } = await simulate({ accepts: () => ++count !== 1, calls: 1000 });
  expect(seconds).toBeLessThan(35);
});

test("honours Retry-After for all callers at once", async () => {
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
  const { errors, sends } = await simulate({ accepts: bucket(1)(1), maxWaitMs: 10_000, calls: 60, parallel: 60 });
  expect(errors.length).toBeGreaterThan(20);
  expect(errors[0]).toBeInstanceOf(RateLimitError);
  expect(errors[0]).toMatchObject({ billed: "no" });
  expect((errors[0] as Error).message).toMatch(
    /turn did not come within 10 s .*rate found for voices is [\d.]+ a second/,
  );
  expect(sends.filter((count) => count === 0).length).toBeGreaterThan(0);
});

test("a Retry-After that is longer than a call may wait ends the call at once", async () => {
  const { errors, seconds } = await simulate({ accepts: () => false, calls: 1, retryAfterMs: 3_600_000 });
  expect((errors[0] as Error).message).toMatch(/the service asks to wait 3600 s/);
  expect(seconds).toBeLessThan(1);
});

test("a call that has waited too long reports what the service said last, with its code, status and request id", async () => {
  const time = new SimulatedTime();
  const throttle = new Throttle({ name: "x", clock: time, maxConcurrency: 1, maxWaitMs: 12_000, log: () => undefined });
  let sends = 0;
  const send = () => {
    const facts = { status: 429, code: "ResourceExhausted", requestId: `r-${++sends}` };
    return Promise.reject(new RateLimitError("too many calls: no more voices may be created", facts));
  };
  const error = await time.run(throttle.run(send)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    ...{ status: 429, code: "ResourceExhausted", requestId: `r-${sends}` },
    reason: expect.stringMatching(
      /^its turn did not come within 12 s \(too many calls: no more voices may be created\); the rate found for x/,
    ) as string,
  });
  expect(sends).toBeGreaterThan(1);
});

test("with no time to wait, the first 429 ends the call", async () => {
  const { errors, sends } = await simulate({ accepts: () => false, calls: 1, maxWaitMs: 0 });
  expect(errors).toHaveLength(1);
  expect(sends).toEqual([1]);
});

test("logs every half minute how many calls are done, how many wait, and at what rate", async () => {
  const { lines } = await simulate({ accepts: bucket(1)(1), calls: 100, parallel: 30 });
  expect(lines.length).toBeGreaterThanOrEqual(3);
  for (const line of lines) {
    expect(line).toMatch(
      /the rate of voices \(429\): \d+ calls done, \d+ waiting for up to [\d.]+ s, [\d.]+ a second$/,
    );
  }
});

test("an error other than a 429 is passed on, and the call is not sent again", async () => {
  const time = new SimulatedTime();
  const throttle = new Throttle({ name: "x", clock: time, maxConcurrency: 1, maxWaitMs: 1000, log: () => undefined });
  const error = new RejectedError("no", { status: 400 });
  let sends = 0;
  const send = () => {
    sends++;
    return Promise.reject(error);
  };
  await expect(time.run(throttle.run(send))).rejects.toBe(error);
  expect(sends).toBe(1);
});
