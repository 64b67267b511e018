import * as z from "zod";
import type { Answers, Questions } from "./decision";
import { accountOutput, namedType, optionalText, output } from "./outputs";

/** An answer as programs in every language see it. TypeScript has a type for each kind of question (decision.ts). */
const answerFields = namedType(
  { name: "Answer", description: "The answer to a question." },
  {
    type: output(z.string(), "The type of the question."),
    choice: optionalText("Of a choice: the key of the chosen option."),
    noul: output(z.number().optional(), "Of a noul: the probability of yes, from 0 to 1."),
    score: output(z.number().optional(), "Of a score: its value, which may lie between two levels."),
    confidence: output(z.number().optional(), "Of a choice and of a score: how sure the model is, from 0 to 1."),
    probabilities: output(
      z.record(z.string(), z.number()).optional(),
      "Of a choice: the probability of each option. Of a score: the probability of each level.",
    ),
    legend: output(z.record(z.string(), z.string()).optional(), "Of a score: its levels."),
  },
);

/** The fields that the state of a decision has in addition to its inputs. `decisionCheck` returns them too. */
export const decisionOutputs = z.object({
  // @persisted
  answers: output(z.record(z.string(), answerFields), {
    description:
      "The answers by the ids of their questions, e.g. `answers.tone.choice`. Secret if the input `state` or `questions` is.",
    derivedFrom: ["state", "questions"],
    type: "Answers<Q>",
  }),
  model: output(z.string(), "The model that answered."),
  requestId: output(z.string(), "The service's id of the request, which is the `id` of a `Decision`."),
  inputTokens: output(
    z.int().optional(),
    "The number of billed tokens of `state` and `questions`. Absent if the service does not say.",
  ),
  latencyMs: output(z.number().optional(), "Milliseconds that the service took. Absent if it does not say."),
});

/** The outputs of a `Decision`: those of `decisionCheck`, and fields that only a state needs. */
export const decisionStateOutputs = decisionOutputs.extend({
  // @persisted
  received: output(z.unknown().optional(), {
    description:
      "What the service sent, if the answers were not understood. Secret if the input `state` or `questions` is.",
    derivedFrom: ["state", "questions"],
    type: "unknown",
  }),
  account: accountOutput(),
});

export type DecisionResult<Q extends Questions = Questions> = Omit<z.infer<typeof decisionOutputs>, "answers"> & {
  answers: Answers<Q>;
};
