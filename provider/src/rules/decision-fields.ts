import stableStringify from "safe-stable-stringify";
import * as z from "zod";
import type { Answers, Expectations, Questions } from "./decision";
import {
  alikeTexts,
  checkInputs,
  type ContextProblem,
  declareInputs,
  type InputProblem,
  type InputsOf,
  isBlank,
  recordOf,
  replaces,
  strictObject,
  text,
  triggers,
  triggersExample,
  updates,
} from "./inputs";
import { ownValue } from "./decision-answers";
import { textsOf } from "./visible";
import { isRecord } from "./values";
import { nearestName, unknownNameReason } from "./nearest-name";
import { namedType, optionalText, output } from "./outputs";

/** A question as programs in every language declare it. TypeScript has a type for each kind (decision.ts). */
const decisionQuestionFields = namedType(
  { name: "Question", description: "A question for the decision model." },
  {
    type: output(z.string(), "`choice`, `noul` (yes or no) or `score`."),
    instructions: optionalText("The question."),
    criteria: output(
      z.unknown(),
      "For a choice: an object with each option and its meaning. For a score: a list of the levels, the lowest first. " +
        "Not used for a noul.",
    ),
  },
);

const expectationFields = namedType(
  { name: "Expectation", description: "Which answers to a question let the update go on." },
  {
    choice: output(z.unknown(), "For a choice: the option, or a list of options."),
    minConfidence: output(z.number().optional(), "For a choice and a score: the least confidence, from 0 to 1."),
    min: output(z.number().optional(), "For a noul and a score: the least value."),
    max: output(z.number().optional(), "For a noul and a score: the greatest value."),
  },
);

const optionsProblem = "must give one option or more, each with what it means";
const levelsProblem = "must list one level or more, the lowest first";

const decisionQuestion = z.discriminatedUnion(
  "type",
  [
    decisionQuestionOf("choice", { criteria: z.custom<Record<string, string>>(isOptions, optionsProblem) }),
    // A `noul` question has no use for criteria, but the contract does not say that the service refuses them.
    decisionQuestionOf("noul", { criteria: z.unknown().optional() }),
    decisionQuestionOf("score", { criteria: z.custom<string[]>(isLevels, levelsProblem) }),
  ],
  {
    error: ({ input: value }) =>
      isRecord(value)
        ? "must be choice, noul or score"
        : "must be made with question.choice, question.noul or question.score",
  },
);

/** A kind of question. Refuses unknown fields, which the service would ignore. */
function decisionQuestionOf<Type extends string, Shape extends z.ZodRawShape>(type: Type, criteria: Shape) {
  const fields = { type: z.literal(type), instructions: text.optional(), ...criteria };
  return strictObject(fields, `a field of a ${type} question`);
}

export const decisionInputs = declareInputs("Decision", [], {
  // @persisted
  state: replaces(
    z.custom<string | object>(isTextOrObject, "must be a text or an object"),
    "What the decision is about: a text, or an object, which is sent as text with its keys in a stable order.",
    { ...alikeTexts, hidden: true, pluginSchema: z.unknown(), type: "string | object" },
  ),
  questions: replaces(
    recordOf(decisionQuestion, "must be an object with at least one question", 1) as unknown as z.ZodType<Questions>,
    "The questions by their ids, as `question.choice`, `question.noul` and `question.score` make them. " +
      "The type of each answer follows from its question.",
    {
      ...alikeTexts,
      pluginDescription: "The questions by their ids.",
      pluginSchema: z.record(z.string(), decisionQuestionFields),
      type: "Q",
    },
  ),
  triggers: replaces(triggers(), "Values whose change asks the questions again.", { example: triggersExample }),
  expect: updates(
    recordOf(
      z.record(z.string(), z.unknown(), "must be an object"),
      "must be an object of expectations, by question",
    ).optional() as unknown as z.ZodOptional<z.ZodType<Expectations>>,
    "Per question, the answers that let the update go on: for a choice `{ choice?, minConfidence? }`, " +
      "for a yes-or-no question (`noul`) `{ min?, max? }`, for a score `{ min?, max?, minConfidence? }`. " +
      "With any other answer, the update fails.",
    {
      changeDetail: "The kept answers are compared with the new expectations, at no cost.",
      default: "every answer lets the update go on",
      example: '{ "tone": { "choice": "friendly" } }',
      type: "Expectations<Q>",
      pluginSchema: z.record(z.string(), expectationFields),
    },
  ),
});

export type DecisionInputs = InputsOf<typeof decisionInputs>;

/**
 * With `isSecret`, no problem shows a value: e.g. the options allowed in `expect` come from `questions`, which may be
 * secret.
 */
export function checkDecisionInputs(inputs: object, unknown: ReadonlySet<string>, isSecret = false): InputProblem[] {
  const { questions } = inputs as { questions?: unknown };
  const problems = checkInputs(decisionInputs, inputs, unknown, {
    // Without known questions, the ids and options that an expectation may name are unknown.
    expect: (expect: Record<string, Record<string, unknown>>) =>
      isRecord(questions) ? expectationProblems(expect, questions) : undefined,
  });
  if (!isSecret) return problems;
  const reason = "is invalid; the reason is not shown, because an input is secret";
  // A problem without an input is about a misspelt name. The name comes from the program's source, and is no secret.
  return problems.map((problem) =>
    problem.input === "" ? problem : { ...problem, path: problem.input, reason, hidden: true },
  );
}

const expectationsOf = new Map<unknown, readonly string[]>([
  ["choice", ["choice", "minConfidence"]],
  ["noul", ["min", "max"]],
  ["score", ["min", "max", "minConfidence"]],
]);

function expectationProblems(
  expect: Record<string, Record<string, unknown>>,
  questions: Record<string, unknown>,
): ContextProblem[] {
  return Object.entries(expect).flatMap(([id, expectation]) => {
    const path = `expect[${JSON.stringify(id)}]`;
    const asked = ownValue(questions, id);
    if (!isRecord(asked)) {
      const nearest = nearestName(id, Object.keys(questions));
      const hint = nearest === undefined ? "" : `; did you mean \`${nearest}\`?`;
      return [{ path, reason: `there is no such question${hint}` }];
    }
    const { min, max } = expectation;
    const isImpossible = typeof min === "number" && typeof max === "number" && min > max;
    const impossible = isImpossible
      ? [{ path, reason: `no answer can meet it: min is ${min}, and max is ${max}` }]
      : [];
    const fields = Object.entries(expectation).flatMap(([field, value]) => {
      const reason = expectationProblem(field, value, asked);
      return reason === undefined ? [] : [{ path: `${path}.${field}`, reason }];
    });
    return [...fields, ...impossible];
  });
}

function expectationProblem(field: string, value: unknown, asked: Record<string, unknown>): string | undefined {
  // A question of an invalid type is reported as a problem of `questions`.
  const allowed = expectationsOf.get(asked.type);
  if (allowed === undefined) return undefined;
  if (!allowed.includes(field)) return unknownNameReason(field, allowed, `for a ${String(asked.type)} question`);
  if (field === "choice") {
    if (!isRecord(asked.criteria)) return undefined;
    const options = Object.keys(asked.criteria);
    if (Array.isArray(value) && value.length === 0)
      return `is empty, so no answer can meet it; allowed: ${options.join(", ")}`;
    const wrong = [value].flat().filter((option) => !options.includes(String(option)));
    return wrong.length > 0 ? `${wrong.join(", ")} is not an option; allowed: ${options.join(", ")}` : undefined;
  }
  if (typeof value !== "number" || !Number.isFinite(value)) return "must be a number";
  if (field === "minConfidence" && (value < 0 || value > 1)) return `is ${value}; a confidence is between 0 and 1`;
  return undefined;
}

/** Warnings about valid inputs that the program probably does not mean. */
export function decisionWarnings(inputs: object): string[] {
  const { state, questions = {}, expect = {} } = inputs as Partial<DecisionInputs>;
  const ofState = isBlank(state) ? ["`state` is empty; the service may refuse it"] : [];
  const ofQuestions = Object.entries(questions).flatMap(([id, asked]) => {
    const path = `questions[${JSON.stringify(id)}]`;
    const expected = ownValue(expect, id) as { min?: number; max?: number } | undefined;
    const count = asked.type === "noul" ? undefined : Object.keys(asked.criteria).length;
    const kind = asked.type === "choice" ? "option" : "level";
    const highest = asked.type === "score" ? asked.criteria.length - 1 : 1;
    const bounds = [expected?.min ?? 0, expected?.max ?? highest];
    const isOutOfRange = bounds.some((bound) => bound < 0 || bound > highest);
    return textsOf([
      isBlank(asked.instructions ?? "") && `${path} has no instructions, so only its criteria say what is asked`,
      asked.type === "noul" &&
        "criteria" in asked &&
        `${path} has criteria, which are not used for a yes-or-no question (noul)`,
      count === 1 && `${path} has one ${kind} only, so every answer is the same`,
      isOutOfRange &&
        `expect[${JSON.stringify(id)}] has a bound outside a ${asked.type}'s range of 0 to ${highest}: ` +
          "all answers meet it, or none",
    ]);
  });
  return [...ofState, ...ofQuestions];
}

function isTextOrObject(value: unknown): boolean {
  return typeof value === "string" || (typeof value === "object" && value !== null);
}

function isOptions(value: unknown): boolean {
  return isRecord(value) && isLevels(Object.values(value));
}

function isLevels(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === "string");
}

/** The text that is sent for a state. Equal values have equal texts, whatever the order of their keys. */
export function stateText(state: string | object): string {
  return typeof state === "string" ? state : stableStringify(state);
}

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
});

export type DecisionResult<Q extends Questions = Questions> = Omit<z.infer<typeof decisionOutputs>, "answers"> & {
  answers: Answers<Q>;
};
