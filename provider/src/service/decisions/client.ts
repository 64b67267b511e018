import { z } from "zod";
import { type Answers, type DecisionResult, type Questions, stateText } from "../../rules/decision";
import { answerProblems } from "../../rules/decision-answers";
import { UnexpectedAnswerError } from "../../errors";
import { isTransient, withRetries } from "../retry";
import { type CallContext, sendRequest } from "../send-request";

/** The decision interface. */
export interface DecisionClient {
  /** Requests a decision. It is retried like a read, because a repeated request changes nothing. */
  ask<Q extends Questions>(state: string | object, questions: Q): Promise<DecisionResult<Q>>;
}

export const decisionPath = "/compatible-mode/v1/systemone";
const model = "decision-model-preview";
const operation = "asking for the decision";

const decisionResponse = z
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

export function decisionClient(context: CallContext, baseUrl: () => string): DecisionClient {
  return {
    async ask<Q extends Questions>(state: string | object, questions: Q) {
      const text = stateText(state);
      const body = JSON.stringify({ model, state: text, questions });
      const secretTexts = textsIn([text, state, questions]);
      const url = `${baseUrl()}${decisionPath}`;
      const result = await withRetries(context, isTransient, () =>
        sendRequest(context, {
          operation,
          method: "POST",
          url,
          body: () => body,
          responseSchema: decisionResponse,
          billed: true,
          secretTexts,
        }),
      );
      const faults = answerProblems(result.answers, questions);
      if (faults.length > 0)
        throw new UnexpectedAnswerError(`the answers do not fit the questions: ${faults.join("; ")}`, {
          operation,
          requestId: result.requestId,
          billed: "yes",
          advice: "Run the command again. If it happens often, report the request id to the service.",
        });
      return { ...result, answers: result.answers as Answers<Q>, requestId: result.requestId ?? "" };
    },
  };
}

/** All strings in a value, at any depth. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
