import { CloudVoiceError, NotFoundError } from "../../provider/src/errors";
import type { AudioSource, VoiceRequest } from "../../provider/src/service/voices/client";
import { emulate } from "../support/emulate";
import { inspectAudio, recordings } from "../support/files";
import { inFrontOf } from "../support/in-front";
import { connected, fakeClock, sending } from "../support/service";
import { calls } from "./calls";

const targetModel = "svc3-tts-vc-2026-01-22";

async function request(changes: Partial<VoiceRequest> = {}): Promise<VoiceRequest> {
  return { targetModel, preferredName: "bob", audio: await audioOf(recordings.wav), ...changes };
}

function unlessAbsent(error: unknown): void {
  if (!(error instanceof NotFoundError)) throw error;
}

async function audioOf(path: string): Promise<AudioSource> {
  const facts = await inspectAudio(path);
  if (facts.state !== "audio") throw new Error(facts.state);
  return { path, ...facts };
}

async function errorOf(work: Promise<unknown>): Promise<CloudVoiceError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!CloudVoiceError.is(error)) throw new Error(`expected a CloudVoiceError, got ${String(error)}`);
  return error;
}

describe("the reason of a degraded voice, which becomes an output and a log line,", () => {
  const reasonFor = async (reasonWith: (apiKey: string) => string, secret = false) => {
    const emulator = await emulate({ degradeEvery: 1 });
    const reason = reasonWith(emulator.apiKey);
    const service = await inFrontOf(emulator, ({ answer }) => ({
      answer: answer.replace('"noisy audio"', JSON.stringify(reason)),
    }));
    const created = await connected(service).voices.create(await request({ secret }), sending);
    expect(created).toMatchObject({ degraded: true, degradedReason: expect.any(String) as unknown });
    return created.degradedReason ?? "";
  };

  test("contains no key and no control characters, and ends", async () => {
    const reason = await reasonFor((apiKey) => `key ${apiKey}\n\u001b[31m ${"too noisy ".repeat(100_000)}`);
    expect(reason).toMatch(/^key \[key\]⏎\\u\{1b\}\[31m too noisy /);
    expect(reason.length).toBeLessThan(4010);
  });

  test("is not shown if an input is secret", async () => {
    const reason = await reasonFor(() => "text 'canary' does not match", true);
    expect(reason).toBe("the service's reason is not shown, because it may quote a secret input");
  });
});

test("never sends the whole audio file if it has changed since its check", async () => {
  const emulator = await emulate();
  const audio = { ...(await audioOf(recordings.wav)), sha256: "0".repeat(64) };
  const error = await errorOf(connected(emulator).voices.create(await request({ audio }), sending));
  expect(error.message).toMatch(/the audio file changed after it was checked\. Run the update again\./);
  expect(emulator.summary()).toMatchObject({ voicesBilled: 0 });
});

/** A 429 is no fault of these: nothing was done. */
const faults = ["500", "500-after", "html-502", "cut-json", "reset-before", "reset-after"] as const;

describe.each(faults)("with the fault %s", (kind) => {
  test("list and delete succeed after retries", async () => {
    const emulator = await emulate({
      faults: [
        { kind, on: ["list"], times: 2 },
        { kind, on: ["delete"], times: 2 },
      ],
    });
    const [voice = ""] = emulator.seedVoices("default", 1);
    const { voices } = connected(emulator);
    expect((await voices.listPage(0, 10)).voices).toHaveLength(1);
    // A repeated delete may find the voice gone.
    await voices.remove(voice).catch(unlessAbsent);
    expect(emulator.voices()).toEqual([]);
    expect(emulator.summary().calls).toEqual({ list: 3, delete: 3 });
  });

  test("a create is not repeated, because it may have been billed", async () => {
    const emulator = await emulate({ faults: [{ kind, times: 1 }] });
    const creating = connected(emulator).voices.create(await request(), sending);
    expect(await errorOf(creating)).toMatchObject({ billed: "unknown" });
    expect(emulator.summary().calls.create).toBe(1);
  });
});

test("a timeout error states how long the client waited", async () => {
  const emulator = await emulate({ faults: [{ kind: "slow", delayMs: 2000 }] });
  const { voices } = connected(emulator, { requestTimeoutSeconds: "0.2", maxRetries: "0" });
  // A recording would get more time.
  const audio = { url: "https://a.example/a.wav" };
  const error = await errorOf(voices.create({ ...(await request()), audio }, sending));
  expect(error.message).toMatch(
    /creating the voice bob failed: the response from .* was lost: none came within 0\.2 s/,
  );
  expect(error.billed).toBe("unknown");
  expect((await errorOf(voices.listPage(0, 1))).billed).toBe("no");
});

test("waits as long as Retry-After states, and fails at once if that is longer than a call may wait", async () => {
  const emulator = await emulate({
    faults: [
      { kind: "429-retry-after", retryAfterSeconds: 7, times: 1 },
      { kind: "429-retry-after", retryAfterSeconds: 1000 },
    ],
  });
  const clock = fakeClock();
  const { voices } = connected(emulator, {}, clock);
  const error = await errorOf(voices.listPage(0, 1));
  expect(error.message).toMatch(
    /^listing the account's voices failed: the call waited [\d.]+ s, and the next may be sent in 1000 s: too many calls: /,
  );
  const { requestId } = emulator.ledger().at(-1)!;
  expect(error).toMatchObject({ status: 429, code: "Throttling.RateQuota", requestId, billed: "no" });
  expect(clock.slept).toEqual([7000]);
});

test.each(Object.entries(calls))(
  "a 429 to a %s uses up no retry, and the call is sent again after a pause",
  async (action, call) => {
    const emulator = await emulate({ faults: [{ kind: "429", times: 3, on: [action as keyof typeof calls] }] });
    const clock = fakeClock();
    await call(connected(emulator, { maxRetries: "0" }, clock)).catch(unlessAbsent);
    expect(emulator.summary().calls).toEqual({ [action]: 4 });
    expect(clock.slept).toEqual([1000, 2000, 4000]);
  },
);

test("waits longer before each retry, up to the maximum of retries", async () => {
  const emulator = await emulate({ faults: [{ kind: "500" }] });
  const clock = fakeClock();
  await errorOf(connected(emulator, {}, clock).voices.listPage(0, 1));
  expect(clock.slept).toEqual([375, 750, 1500, 3000, 6000]);
});

test("without a key, no request is sent and the error states what to set", async () => {
  const { voices } = connected({ url: "http://127.0.0.1:9", apiKey: "" });
  expect((await errorOf(voices.listPage(0, 1))).message).toMatch(
    /CLOUDVOICE_API_KEY.*pulumi config set --secret cloudvoice:apiKey/,
  );
});
