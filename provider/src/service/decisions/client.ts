import { z } from "zod";
import { type Answers, answersFaults, type DecisionResult, type Questions, stateText } from "../../decide/decision";
import { UnexpectedAnswerError } from "../../errors";
import { call, type Caller } from "../call";
import { passesByItself, retrying } from "../retry";

/** The decision interface (contract 4.7). */
export interface DecisionClient {
  /** Asks; tried again like a read, because a question asked twice changes nothing. */
  ask<Q extends Questions>(state: string | object, questions: Q): Promise<DecisionResult<Q>>;
}

const model = "decision-model-preview";

const answer = z
  .object({ model: z.string().default(model), answers: z.record(z.string(), z.unknown()), input_tokens: z.number().default(0), latency_ms: z.number().default(0) })
  .transform((fields) => ({ model: fields.model, answers: fields.answers, inputTokens: fields.input_tokens, latencyMs: fields.latency_ms }));

export function decisionClient(caller: Caller, baseUrl: () => string): DecisionClient {
  return {
    async ask<Q extends Questions>(state: string | object, questions: Q) {
      const text = stateText(state);
      const body = JSON.stringify({ model, state: text, questions });
      const hidden = [text, ...Object.values(questions).map((asked) => asked.instructions)];
      const url = `${baseUrl()}/compatible-mode/v1/systemone`;
      const result = await retrying(caller, passesByItself, () =>
        call(caller, { doing: "asking for the decision", method: "POST", url, body: () => body, answer, paid: false, hidden }),
      );
      const faults = answersFaults(result.answers, questions);
      if (faults.length > 0) throw new UnexpectedAnswerError(`the decision can't be used: ${faults.join("; ")}`, { requestId: result.requestId });
      return { ...result, answers: result.answers as Answers<Q>, requestId: result.requestId ?? "" };
    },
  };
}
