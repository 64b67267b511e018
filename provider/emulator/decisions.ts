import { createHash } from "node:crypto";
import * as z from "zod";
import { invalid, type Outcome } from "./outcome";

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

/**
 * Answers the questions of a request (contract 4.7), with high confidence: yes, the first option, the highest level. The
 * text of the state can determine another answer, for example with `risky=no`: a question's id, `=`, and `yes`, `no`, an
 * option's key or a level's number.
 */
export function decide(body: unknown): Outcome {
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) return invalid(z.prettifyError(parsed.error));
  const { model, state, questions } = parsed.data;
  const answers = Object.fromEntries(
    Object.entries(questions).map(([id, question]) => [id, answer(id, question, state)]),
  );
  const tokens = Math.ceil(JSON.stringify(parsed.data).length / 4);
  return {
    status: 200,
    output: { model, answers, latency_ms: 42.5 },
    usage: { input_tokens: tokens },
    effect: { tokens },
  };
}

function answer(id: string, question: Question, state: string): object {
  const dictated = new RegExp(`(?:^|[^\\w-])${id.replace(/[^\w-]/g, "\\$&")}=([\\w-]+)`).exec(state)?.[1];
  const probabilities = (count: number, favoured: number) =>
    spread(`${id}\0${JSON.stringify(question)}\0${state}`, count, favoured);
  switch (question.type) {
    case "noul": {
      const [yes = 0.5] = probabilities(2, dictated === "no" ? 1 : 0);
      return { type: "noul", noul: yes };
    }
    case "choice": {
      const keys = Object.keys(question.criteria);
      const shares = probabilities(keys.length, Math.max(0, keys.indexOf(dictated ?? "")));
      const best = shares.indexOf(Math.max(...shares));
      return {
        type: "choice",
        choice: keys[best],
        confidence: confidence(shares),
        probabilities: Object.fromEntries(keys.map((key, index) => [key, shares[index]])),
      };
    }
    case "score": {
      const shares = probabilities(question.criteria.length, Number(dictated ?? question.criteria.length - 1));
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
