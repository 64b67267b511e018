import fc from "fast-check";
import { check, nested, respondingWith } from "../support/any-form";
import { sending } from "../support/service";

describe("a decision", () => {
  const questions = {
    usage: { type: "noul" },
    model: { type: "noul" },
    q: { type: "choice", criteria: { a: "A", b: "B" } },
    clarity: { type: "score", criteria: ["unclear", "clear"] },
  } as const;
  const answers = {
    usage: { type: "noul", noul: 0.5 },
    model: { type: "noul", noul: 0.25 },
    q: { type: "choice", choice: "a", confidence: 0.5, probabilities: { a: 0.75, b: 0.25 } },
    clarity: {
      type: "score",
      score: 0.75,
      confidence: 0.5,
      legend: { "0": "unclear", "1": "clear" },
      probabilities: { "0": 0.25, "1": 0.75 },
    },
  };
  test("is read in any form, whatever its questions are called", () =>
    check(
      nested(fc.constant({ answers, model: "decision-model-preview", usage: { input_tokens: 57 }, latency_ms: 3 }), {
        request_id: "r-1",
      }),
      async (json) => {
        const result = await respondingWith(json).decisions.ask("s", questions, { sending });
        expect(result).toEqual({
          answers,
          model: "decision-model-preview",
          requestId: "r-1",
          inputTokens: 57,
          latencyMs: 3,
        });
      },
    ));

  test("that does not say its tokens has none, and not 0", async () => {
    const { inputTokens, latencyMs } = await respondingWith({ answers, request_id: "r" }).decisions.ask(
      "s",
      questions,
      { sending },
    );
    expect([inputTokens, latencyMs]).toEqual([undefined, undefined]);
  });
});
