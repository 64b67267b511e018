import { readFileSync } from "node:fs";
import fc from "fast-check";
import { parsePreview } from "../../provider/src/cli/review/preview";
import { reviewOf } from "../../provider/src/cli/review/review";
import { markdownOf } from "../../provider/src/cli/review/markdown";
import { audioProblem, audioPlace } from "../../provider/src/rules/audio";
import { readSettings } from "../../provider/src/rules/settings";
import { CloudVoiceError } from "../../provider/src/errors";
import { connect } from "../../provider/src/service/connect";
import type { Http } from "../../provider/src/service/http";
import { parseRetryAfter } from "../../provider/src/service/retry";
import { inspectAudio, put, recordings, temporaryFolder } from "../support/files";
import { fakeClock, sending } from "../support/service";

/**
 * Every input from outside is accepted or rejected with an error of this package: 1,000 random inputs each. A long run
 * (`RANDOM_INPUTS=10000 npx jest test/service/properties.test.ts`) has more.
 */

const numRuns = Number(process.env.RANDOM_INPUTS ?? 1000);

test("classifies any text as a path, a URL or a fault", () => {
  const place = fc.oneof(
    fc.string(),
    fc.webUrl(),
    fc.string().map((text) => `data:audio/wav;base64,${text}`),
    fc
      .tuple(fc.constantFrom("http://", "https://", "file://", "s3://", "data:", " "), fc.string())
      .map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(place, (text) => {
      const parsed = audioPlace(text);
      expect(Object.keys(parsed)).toHaveLength(1);
      if (/^data:/i.test(text)) expect(parsed).toHaveProperty("problem");
    }),
    { numRuns },
  );
});

test("reads any Retry-After header without a negative delay", () => {
  const header = fc.oneof(
    fc.string(),
    fc.integer().map(String),
    fc.double().map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  );
  fc.assert(
    fc.property(header, fc.integer({ min: 0, max: 4e12 }), (text, nowMs) => {
      const ms = parseRetryAfter(text, nowMs);
      expect(ms === undefined || ms >= 0).toBe(true);
    }),
    { numRuns },
  );
});

describe("any response of the service is accepted or rejected with a CloudVoiceError without the key, by", () => {
  let body = "";
  let status = 200;
  const http: Http = {
    send: () => Promise.resolve({ status, headers: { "content-type": "application/json" }, body }),
    open: () => Promise.reject(new Error("no downloads here")),
    close: () => Promise.resolve(),
  };
  const all: Record<string, string> = {
    baseUrl: "https://service.example",
    apiKey: "canary-key-0123456789",
    maxRetries: "0",
  };
  const settings = readSettings((name) => (all[name] ? { value: all[name], source: name } : undefined));
  const { voices, images, decisions } = connect(settings, { http, clock: fakeClock() });
  const calls: Record<string, () => Promise<unknown>> = {
    create: () =>
      voices.create({ targetModel: "m", preferredName: "n", audio: { url: "https://a.example/a.wav" } }, sending),
    list: () => voices.listPage(0, 1000),
    delete: () => voices.remove("v"),
    submit: () => images.submit({ model: "svc-image", prompt: "p" }, { sending }),
    poll: () => images.poll("t", { secret: false }),
    ask: () =>
      decisions.ask("s", { q: { type: "choice", instructions: "?", criteria: { a: "A", b: "B" } } }, { sending }),
  };
  // Field names of real responses around random values, so that many responses pass the first checks.
  const field = fc.constantFrom(
    "output",
    "usage",
    "voice",
    "voice_list",
    "voices",
    "task_id",
    "task_status",
    "results",
    "answers",
    "q",
    "choice",
    "probabilities",
    "code",
    "message",
    "request_id",
    "url",
    "total_count",
    "error",
  );
  const shaped = fc.letrec((tie) => ({
    node: fc.oneof(
      { depthSize: "small" },
      fc.jsonValue({ maxDepth: 1 }),
      fc.constant(all.apiKey),
      fc.array(tie("node"), { maxLength: 3 }),
      fc.dictionary(field, tie("node"), { maxKeys: 5 }),
    ),
  })).node;
  const text = fc.oneof(
    shaped.map((value) => JSON.stringify(value)),
    fc.json(),
    fc.string(),
  );

  test.each(Object.entries(calls))("%s", async (_, call) => {
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.constantFrom(200, 200, 200, 400, 401, 404, 429, 500, 302),
        async (nextBody, nextStatus) => {
          body = nextBody;
          status = nextStatus;
          const error: unknown = await call().then(
            (result) => {
              // It becomes an output, and is shown.
              expect(String((result as { requestId?: string } | undefined)?.requestId)).not.toContain(all.apiKey);
            },
            (thrown: unknown) => thrown,
          );
          if (error === undefined) return;
          expect(CloudVoiceError.is(error)).toBe(true);
          expect((error as Error).message).not.toContain(all.apiKey);
        },
      ),
      { numRuns: Math.ceil(numRuns / Object.keys(calls).length) },
    );
  });
});

test("inspects any damaged recording without an exception", async () => {
  const folder = temporaryFolder();
  const originals = [recordings.wav, recordings.mp3, recordings.m4a].map((file) =>
    readFileSync(file).subarray(0, 60_000),
  );
  const damaged = fc
    .record({
      original: fc.constantFrom(...originals),
      length: fc.nat(60_000),
      changes: fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 12 }),
      tail: fc.uint8Array({ maxLength: 64 }),
    })
    .map(({ original, length, changes, tail }) => {
      const bytes = Buffer.concat([original.subarray(0, length), tail]);
      // Most of the format is in the first bytes.
      for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
      return bytes;
    });
  let count = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        damaged,
        fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      ),
      async (bytes) => {
        const facts = await inspectAudio(put(folder, `${count++ % 50}.wav`, bytes));
        if (facts.state === "audio") expect(facts.seconds ?? 0).toBeGreaterThanOrEqual(0);
        expect(typeof (audioProblem(facts) ?? "")).toBe("string");
      },
    ),
    // Each run writes and reads a file, which is slow.
    { numRuns: numRuns / 5 },
  );
});

test("reviews any preview, or rejects it with a CloudVoiceError", () => {
  const whole = readFileSync(require.resolve("../cli/golden/preview.json"), "utf8");
  const read = (text: string) => {
    let preview;
    try {
      preview = parsePreview(Buffer.from(text));
    } catch (error) {
      expect(CloudVoiceError.is(error)).toBe(true);
      return;
    }
    markdownOf(reviewOf({ ...readSettings(() => undefined), preview, account: [], nowMs: 0 }));
  };
  const step = fc.record(
    {
      op: fc.constantFrom("create", "replace", "update", "delete", "same", "refresh", "import", "constructor"),
      urn: fc.oneof(
        fc.string(),
        fc.constant("urn:pulumi:dev::program::pulumi-nodejs:dynamic/cloudvoice:CloudVoice::v"),
      ),
      oldState: fc.record({
        type: fc.constant("pulumi-nodejs:dynamic/cloudvoice:CloudVoice"),
        inputs: fc.dictionary(
          fc.constantFrom("audio", "targetModel", "preferredName", "nameVersion", "triggers"),
          fc.jsonValue(),
        ),
      }),
      newState: fc.record({
        type: fc.constantFrom(
          "pulumi-nodejs:dynamic/cloudvoice:CloudVoice",
          "pulumi-nodejs:dynamic/cloudvoice:GeneratedImage",
        ),
        inputs: fc.dictionary(fc.string(), fc.jsonValue()),
      }),
      replaceReasons: fc.array(fc.string()),
    },
    { requiredKeys: ["op", "urn"] },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 4 }), (steps) => read(JSON.stringify({ steps }))),
    { numRuns: numRuns / 2 },
  );
  fc.assert(
    fc.property(fc.nat(whole.length), fc.string(), (at, noise) =>
      read(`${whole.slice(0, at)}${noise}${whole.slice(at)}`),
    ),
    { numRuns: numRuns / 20 },
  );
  fc.assert(fc.property(fc.oneof(fc.json(), fc.string()), read), { numRuns: numRuns / 2 });
});
