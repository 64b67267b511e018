import type { Answers, Questions } from "../../rules/decision";
import { type DecisionResult, stateText } from "../../rules/decision-fields";
import { checkAnswers, contractAnswers, readGenerously } from "../../rules/decision-answers";
import { CloudVoiceError, RateLimitError, UnexpectedAnswerError } from "../../errors";
import { redactReason, shownId, textsIn } from "../redact";
import { mayRepeat, withRetries } from "../retry";
import { type BilledCall, type CallContext, sendRequest } from "../send-request";
import { shortenedCopy } from "../responses/describe";
import { tryAgain } from "../responses/error";
import { isRecord } from "../../rules/values";
import { distinct, fieldsIn, firstField, isNumber, isText, onlyValue } from "../responses/forms";

export interface DecisionClient {
  /**
   * Requests a decision, which is billed. If the outcome of a call is unknown, sends the request once more. The result
   * of the first call can't be looked up, so both calls may be billed.
   */
  ask<Q extends Questions>(state: string | object, questions: Q, call: BilledCall): Promise<DecisionResult<Q>>;
}

export const decisionPath = "/compatible-mode/v1/systemone";
const purpose = "asking for the decision";
/** How often a request is sent again after a call that may have been billed. */
const maxResends = 1;

export function decisionClient(context: CallContext, baseUrl: () => string): DecisionClient {
  return {
    async ask<Q extends Questions>(state: string | object, questions: Q, { secret = false, sending }: BilledCall) {
      const secrecy = { secret, inputs: textsIn([state, questions]) };
      const body = JSON.stringify({ model: decisionModel, state: stateText(state), questions });
      const shown = (lines: string[]) =>
        secret ? "details not shown: an input is secret" : redactReason(lines.join("; "), context.apiKey());
      const ask = () =>
        sendRequest(context, {
          purpose,
          action: "decide",
          method: "POST",
          url: `${baseUrl()}${decisionPath}`,
          body: () => body,
          read: (response) => {
            const { answers: rawAnswers, model, ...facts } = readAnswers(response.json);
            const answers = readGenerously(rawAnswers, questions);
            const { problems, warnings } = checkAnswers(answers, questions);
            if (problems.length > 0)
              throw new UnexpectedAnswerError(`the answers do not fit the questions: ${shown(problems)}`, {
                billed: "yes",
                status: response.status,
                ...(!secret && { received: shortenedCopy(rawAnswers).copy }),
                advice: "If it happens often, report the request id to the service.",
              });
            const contracted = contractAnswers(answers, questions) as Answers<Q>;
            return { ...facts, model: shownId(model, context.apiKey(), secrecy), answers: contracted, warnings };
          },
          billed: sending,
          ...secrecy,
        });
      const { warnings, requestId = "", ...result } = await withResends(context, ask);
      if (warnings.length > 0)
        context.log(`warning: the answers of the decision ${requestId} are unusual: ${shown(warnings)}`);
      return { ...result, requestId };
    },
  };
}

/** Sends the request again after a call whose outcome is unknown. Reports how many calls may have been billed. */
async function withResends<T>(context: CallContext, ask: () => Promise<T>): Promise<T> {
  let mayBeBilled = 0;
  const isRetryable = (error: CloudVoiceError) => mayRepeat(error) || (error.isTransient && mayBeBilled <= maxResends);
  try {
    const counted = () =>
      ask().catch((error: unknown) => {
        if (CloudVoiceError.is(error) && error.billed === "unknown") mayBeBilled++;
        throw error;
      });
    const result = await withRetries(context, counted, isRetryable);
    if (mayBeBilled > 0) {
      context.log(
        `warning: ${purpose} took more than one call, because a response was lost: ` +
          `up to ${mayBeBilled + 1} calls may have been billed`,
      );
    }
    return result;
  } catch (error) {
    if (!CloudVoiceError.is(error) || mayBeBilled === 0) throw error;
    const counted = mayBeBilled > 1 && `Up to ${mayBeBilled} calls may have been billed.`;
    // The advice of a `RateLimitError` says that nothing was billed. That is true for the last call only.
    const advice = error instanceof RateLimitError ? tryAgain : error.advice;
    throw error.amend({ billed: "unknown", advice: [counted, advice].filter(Boolean).join(" ") });
  }
}

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
