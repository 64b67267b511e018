import { isRecord } from "../../rules/is-record";
import { distinct, fieldsIn, firstField, isNumber, isText, onlyValue } from "./forms";

export const decisionModel = "decision-model-preview";

const hasFields = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && Object.keys(value).length > 0;

/** The answers of a decision, unchanged. rules/decision-answers.ts checks whether they fit the questions. */
export function readAnswers(json: unknown) {
  return {
    answers: onlyValue("answers", distinct(fieldsIn(json, "answers"), hasFields)),
    model: firstField(json, "model", isText) ?? decisionModel,
    inputTokens: firstField(json, "inputtokens", isNumber),
    latencyMs: firstField(json, "latencyms", isNumber),
  };
}
