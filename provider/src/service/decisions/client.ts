import { z } from "zod";
import { type Answers, type DecisionResult, type Questions, stateText } from "../../rules/decision";
import { answerProblems } from "../../rules/decision-answers";
import { UnexpectedAnswerError } from "../../errors";
import { call, type Caller } from "../call";
import { passesByItself, retrying } from "../retry";

/** The decision interface (contract 4.7). */
export interface DecisionClient {
  /** Asks; tried again like a read, because a question asked twice changes nothing. */
  ask<Q extends Questions>(state: string | object, questions: Q): Promise<DecisionResult<Q>>;
}

export const decisionPath = "/compatible-mode/v1/systemone";
const model = "decision-model-preview";

const answer = z
  .object({
    model: z.string().default(model),
    answers: z.record(z.string(), z.unknown()),
    input_tokens: z.number().default(0),
    latency_ms: z.number().default(0),
  })
  .transform((fields) => ({
    model: fields.model,
    answers: fields.answers,
    inputTokens: fields.input_tokens,
    latencyMs: fields.latency_ms,
  }));

export function decisionClient(caller: Caller, baseUrl: () => string): DecisionClient {
  return {
    async ask<Q extends Questions>(state: string | object, questions: Q) {
      const text = stateText(state);
      const body = JSON.stringify({ model, state: text, questions });
      const hidden = textsIn([text, state, questions]);
      const url = `${baseUrl()}${decisionPath}`;
      const result = await retrying(caller, passesByItself, () =>
        call(caller, {
          doing: "asking for the decision",
          method: "POST",
          url,
          body: () => body,
          answer,
          paid: true,
          hidden,
        }),
      );
      const faults = answerProblems(result.answers, questions);
      if (faults.length > 0)
        throw new UnexpectedAnswerError(`the decision can't be used: ${faults.join("; ")}`, {
          requestId: result.requestId,
          billed: "yes",
        });
      return { ...result, answers: result.answers as Answers<Q>, requestId: result.requestId ?? "" };
    },
  };
}

/** Every text in it, at any depth: each may be secret. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
