import { createHash } from "node:crypto";
import { z } from "zod";
import { invalid, type Outcome } from "./outcome";

const asked = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("choice"),
    instructions: z.string().optional(),
    criteria: z.record(z.string(), z.string()),
  }),
  z.strictObject({ type: z.literal("noul"), instructions: z.string().optional() }),
  z.strictObject({
    type: z.literal("score"),
    instructions: z.string().optional(),
    criteria: z.array(z.string()).min(1),
  }),
]);
const request = z.strictObject({
  model: z.literal("decision-model-preview"),
  state: z.string().min(1),
  questions: z.record(z.string(), asked).refine((questions) => Object.keys(questions).length > 0, "no question"),
});
type Asked = z.infer<typeof asked>;

/**
 * Contract 4.7. Answers are a stable function of state and question, and a state may dictate them: `yes`, `no`, an option's key
 * or a level's number behind the question's id, as in `risky=no`.
 */
export function decide(body: unknown): Outcome {
  const parsed = request.safeParse(body);
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

function answer(id: string, question: Asked, state: string): object {
  const dictated = new RegExp(`(?:^|[^\\w-])${id.replace(/[^\w-]/g, "\\$&")}=([\\w-]+)`).exec(state)?.[1];
  const shares = (count: number, favoured: number) =>
    spread(`${id}\0${JSON.stringify(question)}\0${state}`, count, favoured);
  switch (question.type) {
    case "noul": {
      const [yes = 0.5] = shares(2, dictated === "yes" ? 0 : dictated === "no" ? 1 : -1);
      return { type: "noul", noul: yes };
    }
    case "choice": {
      const keys = Object.keys(question.criteria);
      const given = shares(keys.length, keys.indexOf(dictated ?? ""));
      const best = given.indexOf(Math.max(...given));
      return {
        type: "choice",
        choice: keys[best],
        confidence: confidence(given),
        probabilities: Object.fromEntries(keys.map((key, index) => [key, given[index]])),
      };
    }
    case "score": {
      const given = shares(question.criteria.length, dictated === undefined ? -1 : Number(dictated));
      const byLevel = (values: unknown[]) => Object.fromEntries(values.map((value, level) => [String(level), value]));
      const score = given.reduce((sum, share, level) => sum + share * level, 0);
      return {
        type: "score",
        score: Math.min(given.length - 1, Math.round(score * 100) / 100),
        confidence: confidence(given),
        legend: byLevel(question.criteria),
        probabilities: byLevel(given),
      };
    }
  }
}

/** Probabilities with two decimals, whose sum may so be 0.99 or 1.01, as the service's may. */
function spread(text: string, count: number, favoured: number): number[] {
  const digest = createHash("sha256").update(text).digest();
  const weights = Array.from({ length: count }, (_, index) =>
    index === favoured ? 20 * count : 0.1 + (digest[index % 32] ?? 0) / 255,
  );
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => Math.round((weight / sum) * 100) / 100);
}

/** (K·p − 1) / (K − 1): fits all that is known of a choice's confidence. */
function confidence(shares: number[]): number {
  const count = shares.length;
  if (count < 2) return 1;
  return Math.min(1, Math.max(0, Math.round(((count * Math.max(...shares) - 1) / (count - 1)) * 100) / 100));
}
