import { createHash } from "node:crypto";
import * as z from "zod";
import { invalid, type Outcome } from "./outcome";
import type { DecisionAnswers } from "./types";

/** The schema of an object with any keys. `z.record` would drop the key `__proto__`. */
function recordOf<Schema extends z.ZodType>(entry: Schema) {
  return z
    .custom<Record<string, z.infer<Schema>>>((value) => isRecord(value), "must be an object")
    .superRefine((value, context) => {
      if (!isRecord(value)) return;
      for (const [key, each] of Object.entries(value)) {
        for (const { message, path } of entry.safeParse(each).error?.issues ?? [])
          context.addIssue({ code: "custom", message, path: [key, ...path] });
      }
    });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const questionSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("choice"),
    instructions: z.string().optional(),
    criteria: recordOf(z.string()),
  }),
  // The contract says that `criteria` is not used for `noul`, so it is accepted and has no effect.
  z.strictObject({ type: z.literal("noul"), instructions: z.string().optional(), criteria: z.unknown().optional() }),
  z.strictObject({
    type: z.literal("score"),
    instructions: z.string().optional(),
    criteria: z.array(z.string()).min(1),
  }),
]);
const requestSchema = z.strictObject({
  model: z.literal("decision-model-preview"),
  state: z.string(),
  questions: recordOf(questionSchema),
});
type Question = z.infer<typeof questionSchema>;

export const decisionAnswers = recordOf(z.union([z.string(), z.number(), z.boolean()]));

/**
 * Answers the questions of a request (contract 4.7), with high confidence: as the text of the state says, for example
 * with `risky=no` (a question's id, `=`, and an answer), else as `chosen` says, else yes, the first option, the highest
 * level.
 */
export function decide(body: unknown, chosen: DecisionAnswers = {}): Outcome {
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) return invalid(z.prettifyError(parsed.error));
  const { model, state, questions } = parsed.data;
  const answers: [id: string, answer: object][] = [];
  for (const [id, question] of Object.entries(questions)) {
    const possible = possibleAnswers(question);
    const dictated = possible.indexOf(dictatedAnswer(id, state) ?? "");
    const text = Object.hasOwn(chosen, id) ? textOf(question, chosen[id]) : undefined;
    if (text !== undefined && !possible.includes(text))
      return invalid(`The emulator can't answer ${id} with ${text}, only with: ${possible.join(", ")}.`);
    const usual = text === undefined ? usualAnswer(question, possible) : possible.indexOf(text);
    const index = dictated === -1 ? usual : dictated;
    answers.push([id, answer(id, question, state, index)]);
  }
  const tokens = Math.ceil(JSON.stringify(parsed.data).length / 4);
  return {
    status: 200,
    output: { model, answers: Object.fromEntries(answers), latency_ms: 42.5 },
    usage: { input_tokens: tokens },
    effect: { tokens },
  };
}

function possibleAnswers(question: Question): string[] {
  if (question.type === "noul") return ["yes", "no"];
  if (question.type === "choice") return Object.keys(question.criteria);
  return question.criteria.map((_, level) => String(level));
}

const usualAnswer = ({ type }: Question, possible: string[]) => (type === "score" ? possible.length - 1 : 0);

/** The answer in words such as `risky=no` of a text. */
const dictatedAnswer = (id: string, state: string) =>
  new RegExp(`(?:^|[^\\w-])${id.replace(/[^\w-]/g, "\\$&")}=([\\w-]+)`).exec(state)?.[1];

function textOf({ type }: Question, answer: DecisionAnswers[string] | undefined): string {
  const text = String(answer);
  if (type !== "noul") return text;
  return ["true", "1"].includes(text) ? "yes" : ["false", "0"].includes(text) ? "no" : text;
}

/** `index`: the place of the answer among the possible ones. */
function answer(id: string, question: Question, state: string, index: number): object {
  const text = `${id}\0${JSON.stringify(question)}\0${state}`;
  const shares = spread(text, possibleAnswers(question).length, index);
  switch (question.type) {
    case "noul":
      return { type: "noul", noul: shares[0] };
    case "choice": {
      const keys = Object.keys(question.criteria);
      return {
        type: "choice",
        choice: keys[index],
        confidence: confidence(shares),
        probabilities: Object.fromEntries(keys.map((key, place) => [key, shares[place]])),
      };
    }
    case "score": {
      const byLevel = (values: unknown[]) => Object.fromEntries(values.map((value, level) => [String(level), value]));
      const score = shares.reduce((sum, probability, level) => sum + probability * level, 0);
      return {
        type: "score",
        score: Math.min(shares.length - 1, Math.round(score * 100) / 100),
        confidence: confidence(shares),
        legend: byLevel(question.criteria),
        probabilities: byLevel(shares),
      };
    }
  }
}

/**
 * Probabilities with two decimals, as the service sends them. Because of the rounding, their sum may be 0.99 or 1.01.
 */
function spread(text: string, count: number, favoured: number): number[] {
  const digest = createHash("sha256").update(text).digest();
  const weights = Array.from({ length: count }, (_, index) =>
    index === favoured ? 20 * count : 0.1 + (digest[index % 32] ?? 0) / 255,
  );
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => Math.round((weight / sum) * 100) / 100);
}

/**
 * The confidence for K options with the highest probability p: (K·p − 1) / (K − 1). It fits all known responses of the
 * service.
 */
function confidence(probabilities: number[]): number {
  const count = probabilities.length;
  if (count < 2) return 1;
  return Math.min(1, Math.max(0, Math.round(((count * Math.max(...probabilities) - 1) / (count - 1)) * 100) / 100));
}
