import type { Emulator, FaultKind, FaultRule } from "../../provider/emulator";
import { CancelledError } from "../../provider/src/lifecycle/cancel";
import type { OperationParts } from "../../provider/src/lifecycle/operation";
import { nameVersion } from "../../provider/src/rules/naming";
import type { CheckedVoice } from "../../provider/src/rules/voice";
import type { Clock } from "../../provider/src/service/clock";
import { emulate } from "../support/emulate";
import { journalIn } from "../support/journal";
import { inspectAudio, recordings } from "../support/files";
import { resource as resourceOf } from "../support/holders";
import { type Exchange, inFrontOf } from "../support/in-front";
import { lifecyclesOf } from "../support/operation";
import { connected, fakeClock, sendingWhile } from "../support/service";
import { until } from "../support/until";

const targetModel = "svc3-tts-vc-2026-01-22";
/** Of the form of generated names. */
const name = "bob_12ab34c";

const isAction = ({ body }: Pick<Exchange, "body">, action: string) => body.includes(`"action":"${action}"`);

const resource = resourceOf("urn:pulumi:dev::p::t::bob");

async function inputsOf(preferredName: string, generated: boolean): Promise<CheckedVoice> {
  const facts = await inspectAudio(recordings.m4a);
  if (facts.state !== "audio") throw new Error();
  const { sha256: audioSha256 } = facts;
  return { targetModel, preferredName, audio: recordings.m4a, audioSha256, ...(generated && { nameVersion }) };
}

interface Given {
  at?: Pick<Emulator, "url" | "apiKey">;
  settings?: Record<string, string>;
  parts?: OperationParts;
  operation?: ReturnType<typeof lifecyclesOf>;
}

async function setUp(faults: FaultRule[] = [], options: Parameters<typeof emulate>[0] = {}) {
  const emulator = await emulate({ faults, ...options });
  const journal = journalIn(new Map());
  const lines: string[] = [];
  const operation = ({ at = emulator, settings = {}, parts = {} }: Given) => {
    const all = { clock: fakeClock(), journal, ...parts };
    return lifecyclesOf(at, { maxRetries: "5", ...settings }, all);
  };
  /** Each call is an operation of its own, unless it is given one. */
  const create = async (preferredName: string, generated: boolean, given: Given = {}) => {
    const { lines: logged, voice } = given.operation ?? operation(given);
    const inputs = await inputsOf(preferredName, generated);
    return voice
      .create(inputs, resource)
      .then(({ state }) => state)
      .finally(() => lines.push(...logged));
  };
  return { emulator, create, operation, lines };
}

const lost: FaultKind[] = ["500", "500-after", "html-502", "cut-json", "reset-before", "reset-after"];

describe.each([
  ["generated", true],
  ["chosen by the program", false],
] as const)("a name %s", (_, generated) => {
  test.each(lost)("an answer lost to %s is settled by the list: billed once", async (kind) => {
    const { emulator, create } = await setUp([{ kind, on: ["create"], times: 1 }]);
    const made = await create(name, generated);
    expect(emulator.voices().map((row) => row.voice)).toEqual([made.voice]);
    expect(emulator.summary().voicesBilled).toBe(1);
  });

  test("a create whose responses are lost for ever is sent six times, whatever the stack's file says of retries", async () => {
    const { emulator, create } = await setUp();
    let creates = 0;
    const failing = await inFrontOf(
      emulator,
      () => undefined,
      (exchange) => (isAction(exchange, "create") ? (creates++, { status: 500, answer: "{}" }) : undefined),
    );
    const settings = { maxRetries: "40", settleSeconds: "0" };
    await expect(create(name, generated, { at: failing, settings })).rejects.toMatchObject({
      billed: "unknown",
    });
    expect(creates).toBe(6);
  });
});

test.each([
  ["code of a quota, and the list shows it", {}, "QuotaError"],
  ["status 500", { faults: [{ kind: "500", on: ["create"] }] as FaultRule[] }, "ServiceError"],
])("a create in a full account is sent once, and says what fills it: refused with a %s", async (_, options, error) => {
  const { emulator, create } = await setUp([], { voiceQuota: 2, ...options });
  emulator.seedVoices("default", 2, { preferredName: "shop" });
  await expect(create(name, true, { settings: { voiceQuota: "2" } })).rejects.toMatchObject({
    name: error,
    advice: expect.stringMatching(/^The account is full: it holds 2 voices \(`npx.* voices` lists/) as string,
  });
  expect(emulator.summary().calls.create).toBe(1);
});

// test/service/refusal.test.ts has more codes.
test.each([
  ["VoiceLimitExceeded", "QuotaError", /the account is full: .*HTTP 400, Voice.*The account holds 2 voices \(/],
  ["quota_exceeded", "RejectedError", /^(?!.*account is full).*HTTP 400, quota_ex.*The account holds 2 voices \(/i],
])("a create that is refused with %s, where the list has room, is sent once: a %s", async (code, error, message) => {
  const { emulator, create } = await setUp();
  emulator.seedVoices("default", 2, { preferredName: "shop" });
  let creates = 0;
  const refusing = await inFrontOf(
    emulator,
    () => undefined,
    (exchange) => {
      if (!isAction(exchange, "create")) return undefined;
      creates++;
      return { status: 400, answer: JSON.stringify({ code, message: "no more today" }) };
    },
  );
  const failure = create(name, true, { at: refusing });
  await expect(failure).rejects.toMatchObject({ name: error, billed: "no" });
  await expect(failure).rejects.toThrow(message);
  expect(creates).toBe(1);
});

test("a service that is slower than the time-out is waited for, and billed once", async () => {
  const { emulator, create } = await setUp();
  const release = emulator.hold("create");
  // The service finishes its work while the client waits after the time-out.
  const time = fakeClock();
  const clock: Clock = {
    ...time,
    sleep: async (ms) => {
      release();
      await until(() => emulator.voices().length > 0);
      await time.sleep(ms);
    },
  };
  const { voice } = await create(name, true, { settings: { requestTimeoutSeconds: "1" }, parts: { clock } });
  expect(emulator.voices().map((row) => row.voice)).toEqual([voice]);
  expect(emulator.summary().calls.create).toBe(1);
});

test("a run that was killed after the work is taken up by the next: nothing is paid again, and one line says so", async () => {
  const { emulator, create, lines } = await setUp();
  const first = await create("n_12ab34c", true);
  const second = await create("n_12ab34c", true);
  expect(second.voice).toBe(first.voice);
  expect(emulator.summary().voicesBilled).toBe(1);
  expect(lines).toEqual([expect.stringContaining(`uses the voice ${first.voice}`) as string]);
});

test("two creates of one chosen name at once never settle on one voice", async () => {
  const { emulator, create, operation } = await setUp([{ kind: "reset-after", on: ["create"], times: 1 }]);
  const together = operation({});
  const made = await Promise.all([1, 2].map(() => create("bob", false, { operation: together })));
  expect(new Set(made.map((voice) => voice.voice)).size).toBe(2);
  expect(emulator.summary().voicesBilled).toBe(2);
});

test.each<[number, string]>([
  [408, "{}"],
  [200, '{"output":{"voice":"svc-tts","fallback_reason":"Audio.AudioRateError: lo'],
])(
  "a create that was made and got the response %i %j is looked for as long as one that timed out here",
  async (status, answer) => {
    const { emulator, create } = await setUp();
    let looks = 0;
    const late = await inFrontOf(emulator, (exchange) => {
      if (isAction(exchange, "create")) return { status, answer };
      // The list knows the voice from the sixth look on.
      if (isAction(exchange, "list") && ++looks < 7) return { answer: '{"output":{"voice_list":[],"total_count":0}}' };
      return undefined;
    });
    const made = await create(name, true, { at: late });
    expect(emulator.voices().map((row) => row.voice)).toEqual([made.voice]);
    expect(emulator.summary().calls.create).toBe(1);
  },
);

/** A gateway that gives each create up. The list shows the voices once this many were sent. */
async function lateGateway(emulator: Emulator, shownAfter: number) {
  let creates = 0;
  return inFrontOf(emulator, (exchange) => {
    if (isAction(exchange, "create")) return (creates++, { status: 504, answer: "<html>504 Gateway Time-out</html>" });
    if (isAction(exchange, "list") && creates < shownAfter)
      return { answer: '{"output":{"voice_list":[],"total_count":0}}' };
    return undefined;
  });
}

test.each([
  [1, 1, "This run sent the create once, so one voice is billed"],
  [2, 2, "This run sent the create 2 times, so up to 2 voices may be billed. `pulumi refresh` shows a second"],
])("a create that was sent %i times says how many voices may be billed", async (shownAfter, billed, line) => {
  const { emulator, create, lines } = await setUp();
  const made = await create(name, true, { at: await lateGateway(emulator, shownAfter) });
  expect(emulator.summary().voicesBilled).toBe(billed);
  expect(lines.at(-1)).toContain(`the voice exists: ${made.voice}`);
  expect(lines.at(-1)).toContain(line);
});

test("a create that an earlier attempt sent too says that its voice may be billed as well", async () => {
  const { emulator, create, lines } = await setUp();
  const given = { at: await lateGateway(emulator, 2), settings: { maxRetries: "0" } };
  await expect(create(name, true, given)).rejects.toMatchObject({ billed: "unknown" });
  await create(name, true, given);
  expect(lines.at(-1)).toContain(
    "sent the create once, and an earlier attempt sent it too, so 2 voices or more may be",
  );
});

test("a create that is sent again because its response was lost says that two may be billed", async () => {
  const { create, lines } = await setUp([{ kind: "500", on: ["create"], times: 1 }]);
  const { voice } = await create(name, true);
  expect(lines.at(-1)).toContain(`created ${voice}. This run sent the create 2 times, so up to 2 voices may be billed`);
});

test("the next run looks for an unfinished create as long as its upload may have taken on a slow line", async () => {
  const { emulator, create } = await setUp();
  const clock = fakeClock();
  const sent: { atMs: number; bytes: number }[] = [];
  const losing = await inFrontOf(
    emulator,
    () => undefined,
    (exchange) => {
      if (!isAction(exchange, "create")) return undefined;
      sent.push({ atMs: clock.now(), bytes: exchange.body.length });
      return { status: 500, answer: "{}" };
    },
  );
  const given = { at: losing, settings: { maxRetries: "0" }, parts: { clock } };
  for (let run = 0; run < 2; run++)
    await expect(create(name, true, given)).rejects.toMatchObject({ billed: "unknown" });
  const [first = { atMs: 0, bytes: 0 }, second] = sent;
  expect(first.bytes).toBeGreaterThan(10_000);
  const [requestTimeoutMs, settleMs] = [60_000, 60_000];
  expect(second?.atMs).toBeCloseTo(first.atMs + requestTimeoutMs + (first.bytes / 50_000) * 1000 + 2 * settleMs, 0);
});

test("a run that is interrupted while it looks for a lost create says that this may have been billed", async () => {
  const { create } = await setUp([{ kind: "500-after", on: ["create"], times: 1 }], { listDelayMs: 60_000 });
  const clock = { ...fakeClock(), sleep: () => Promise.reject(new CancelledError()) };
  await expect(create(name, true, { parts: { clock } })).rejects.toMatchObject({ billed: "unknown" });
});

test("where the list fails after a lost create, the error is the create's, and says that it may have been billed", async () => {
  const { emulator, create } = await setUp([
    { kind: "500-after", on: ["create"], times: 1 },
    { kind: "500", on: ["list"], skip: 1 },
  ]);
  const failure = await create(name, true).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    billed: "unknown",
    message: expect.stringMatching(
      /^creating the voice .*may have been billed\. Its voice could not be looked for: listing the account's voices failed/,
    ) as string,
  });
  expect(emulator.summary().calls.create).toBe(1);
});

test("before each sending it is asked whether anybody will keep what is paid for", async () => {
  const { emulator } = await setUp([{ kind: "429", on: ["create"], times: 2 }]);
  const facts = await inspectAudio(recordings.m4a);
  if (facts.state !== "audio") throw new Error();
  const { voices } = connected(emulator);
  let asked = 0;
  const engineIsGone = () => (++asked < 3 ? Promise.resolve() : Promise.reject(new Error("the engine is gone")));
  await expect(
    voices.create(
      { targetModel, preferredName: name, audio: { path: recordings.m4a, ...facts } },
      sendingWhile(engineIsGone),
    ),
  ).rejects.toThrow("the engine is gone");
  expect(emulator.summary()).toMatchObject({ voicesBilled: 0, calls: { create: 2 } });
});

/** The lists of these numbers fail, and other ones before `until` are as the first one was. */
async function behind(emulator: Emulator, until: number, failing: number[] = []) {
  let [count, first] = [0, ""];
  return inFrontOf(emulator, (exchange) => {
    if (!isAction(exchange, "list")) return undefined;
    if (++count === 1) first = exchange.answer;
    if (failing.includes(count)) return { status: 500, answer: "{}" };
    return count < until ? { answer: first } : undefined;
  });
}

test("a lost create is not sent again because one list lacks its voice, if a second one has it", async () => {
  const { emulator, create } = await setUp([{ kind: "500-after", on: ["create"], times: 1 }]);
  const { voice } = await create(name, true, { at: await behind(emulator, 3), settings: { settleSeconds: "0" } });
  expect(emulator.voices().map((row) => row.voice)).toEqual([voice]);
});

test.each([
  ["an earlier run", false],
  ["the same run, which a hook `onError` has the engine repeat,", true],
])("the create of %s is not sent again because one list lacks its voice, if a second one has it", async (_, isSame) => {
  const { emulator, create, operation } = await setUp([{ kind: "500-after", on: ["create"], times: 1 }]);
  const at = await behind(emulator, 6, [2, 3]);
  const settings = { maxRetries: "1", settleSeconds: "0", requestTimeoutSeconds: "1" };
  const first = operation({ at, settings });
  await expect(create(name, true, { operation: first })).rejects.toMatchObject({ billed: "unknown" });
  const later = operation({ at, settings, parts: { clock: fakeClock(Date.now() + 10_000) } });
  const { voice } = await create(name, true, { operation: isSame ? first : later });
  expect(emulator.voices().map((row) => row.voice)).toEqual([voice]);
});

test("an update with 200 new voices says once how it would be faster, unless its checkpoints were considered", async () => {
  const { operation } = await setUp();
  const audio = "https://example.com/bob.wav";
  const linesOf = async () => {
    const { voice, lines } = operation({});
    const advice = () => lines.filter((line) => line.includes("faster"));
    const create = (index: number) => {
      const inputs: CheckedVoice = { targetModel, preferredName: `bob_${index}`, audio };
      return voice.create(inputs, resourceOf(`urn:pulumi:dev::p::t::bob-${index}`));
    };
    for (let index = 0; index < 199; index++) await create(index);
    expect(advice()).toEqual([]);
    await create(199);
    await create(200);
    return advice();
  };
  expect(await linesOf()).toEqual([
    expect.stringMatching(/pulumi-cloudvoice up` is .* faster \(docs\/performance\.md\)/),
  ]);
  process.env.PULUMI_SKIP_CHECKPOINTS = "false";
  try {
    expect(await linesOf()).toEqual([]);
  } finally {
    delete process.env.PULUMI_SKIP_CHECKPOINTS;
  }
});
