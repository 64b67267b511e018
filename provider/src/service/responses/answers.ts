import { isRecord } from "../../rules/is-record";
import { firstField, isNumber, isText, type Place, requireField } from "./fields";

export const decisionModel = "decision-model-preview";

const hasFields = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && Object.keys(value).length > 0;

/** The answers of a decision, unchanged. rules/decision-answers.ts judges whether they fit the questions. */
export function readAnswers(places: readonly Place[]) {
  return {
    answers: requireField(places, "answers", hasFields),
    model: firstField(places, "model", isText) ?? decisionModel,
    inputTokens: firstField(places, "input_tokens", isNumber),
    latencyMs: firstField(places, "latency_ms", isNumber),
  };
}
