import { isRecord } from "../../rules/is-record";
import { firstField, isNumber, isText, type Place, requireField } from "./fields";

export const decisionModel = "decision-model-preview";

/** The answers of a decision, as they came. Whether they fit the questions is judged by rules/decision-answers.ts. */
export function readAnswers(places: readonly Place[]) {
  return {
    answers: requireField(places, "answers", isRecord),
    model: firstField(places, "model", isText) ?? decisionModel,
    inputTokens: firstField(places, "input_tokens", isNumber),
    latencyMs: firstField(places, "latency_ms", isNumber),
  };
}
