import type * as pulumi from "@pulumi/pulumi";
import { Decision, decisionCheck, type DecisionCheckResult, decisionCheckOutput, question } from "pulumi-cloudvoice";
import type { z } from "zod";
import type { decisionOutputs } from "../../provider/src/rules/decision-fields";

/**
 * Tests of the types. `npm run types` compiles this file, and fails if a line marked `@ts-expect-error` compiles.
 * Nothing runs it.
 */

const questions = {
  team: question.choice("Who handles it?", { billing: "Invoices", support: "The rest" }),
  risky: question.noul("Is it risky?"),
  mood: question.score("How friendly is it?", ["rude", "friendly"]),
};

export async function typesOfAnswersFollowFromQuestions() {
  const { answers } = await decisionCheck({ state: "x", questions });
  const choice: "billing" | "support" = answers.team.choice;
  const probability: number = answers.team.probabilities.billing;
  const yes: number = answers.risky.noul;
  const score: number = answers.mood.score;
  // @ts-expect-error "sales" is not an option of the question
  const wrong: "sales" = answers.team.choice;
  // @ts-expect-error "sales" is not an option of the question
  const none: unknown = answers.team.probabilities.sales;
  // @ts-expect-error there is no question "other"
  const absent: unknown = answers.other;
  // @ts-expect-error a noul answer has no confidence
  const confidence: unknown = answers.risky.confidence;
  return [choice, probability, yes, score, wrong, none, absent, confidence];
}

export function typesOfOutputAnswers() {
  const team: pulumi.Output<"billing" | "support"> = decisionCheckOutput({ state: "x", questions }).answers.team.choice;
  return team;
}

export function typesOfResourceAnswers() {
  const gate = new Decision("gate", {
    state: { any: "object" },
    questions,
    expect: { team: { choice: ["billing"], minConfidence: 0.5 }, risky: { max: 0.2 }, mood: { min: 0.5 } },
  });
  const choice: pulumi.Output<"billing" | "support"> = gate.answers.team.choice;
  // @ts-expect-error "sales" is not an option of the question
  new Decision("a", { state: "x", questions, expect: { team: { choice: "sales" } } });
  // @ts-expect-error there is no question "other"
  new Decision("b", { state: "x", questions, expect: { other: { min: 1 } } });
  // @ts-expect-error a noul answer has no confidence
  new Decision("c", { state: "x", questions, expect: { risky: { minConfidence: 1 } } });
  return choice;
}

/** The published type names no type of zod, so it is written out. It must be what the schema says. */
type OfSchema = Omit<z.infer<typeof decisionOutputs>, "answers">;
export const resultIsSchema = (result: Omit<DecisionCheckResult, "answers">): OfSchema => result;
export const schemaIsResult = (result: Required<OfSchema>): Required<Omit<DecisionCheckResult, "answers">> => result;
