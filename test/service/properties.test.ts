import { readFileSync } from "node:fs";
import fc from "fast-check";
import { parsePreview } from "../../provider/src/cli/review/preview";
import { reviewOf } from "../../provider/src/cli/review/review";
import { markdownOf } from "../../provider/src/cli/review/markdown";
import { readSettings } from "../../provider/src/rules/settings";
import { CloudVoiceError } from "../../provider/src/errors";
import { apiKey, respondingWith } from "../support/any-form";
import { sending } from "../support/service";
import { calls, type Clients } from "./calls";

/**
 * Every input from outside is accepted or rejected with an error of this package: 1,000 random inputs each. A long run
 * (`RANDOM_INPUTS=10000 npx jest test/service/properties.test.ts`) has more.
 */

const numRuns = Number(process.env.RANDOM_INPUTS ?? 1000);

describe("any response of the service is accepted or rejected with a CloudVoiceError without the key, by", () => {
  const questions = { q: { type: "choice", instructions: "?", criteria: { a: "A", b: "B" } } } as const;
  const choose = ({ decisions }: Clients) => decisions.ask("s", questions, { sending });
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
      fc.constant(apiKey),
      fc.array(tie("node"), { maxLength: 3 }),
      fc.dictionary(field, tie("node"), { maxKeys: 5 }),
    ),
  })).node;
  const text = fc.oneof(
    shaped.map((value) => JSON.stringify(value)),
    fc.json(),
    fc.string(),
  );

  test.each(Object.entries({ ...calls, decide: choose }))("%s", async (_, call) => {
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom(200, 200, 200, 400, 401, 404, 429, 500, 302), async (body, status) => {
        const error: unknown = await call(respondingWith(body, { status })).then(
          (result) => {
            // It becomes an output, and is shown.
            expect(String((result as { requestId?: string } | undefined)?.requestId)).not.toContain(apiKey);
          },
          (thrown: unknown) => thrown,
        );
        if (error === undefined) return;
        expect(CloudVoiceError.is(error)).toBe(true);
        expect((error as Error).message).not.toContain(apiKey);
      }),
      { numRuns: Math.ceil(numRuns / Object.keys(calls).length) },
    );
  });
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
    markdownOf(reviewOf({ ...readSettings(() => undefined), preview, nowMs: 0 }));
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
