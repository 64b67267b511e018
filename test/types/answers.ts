import { Decision, decisionCheck, decisionCheckOutput, question } from "pulumi-cloudvoice";
import type * as pulumi from "@pulumi/pulumi";

/** Compiled, never run: `npm run types` fails when a line marked `@ts-expect-error` compiles, or another does not. */

const questions = {
  team: question.choice("Who handles it?", { billing: "Invoices", support: "The rest" }),
  risky: question.noul("Is it risky?"),
  mood: question.score("How friendly is it?", ["rude", "friendly"]),
};

export async function answersFollowFromQuestions() {
  const { answers } = await decisionCheck({ state: "x", questions });
  const choice: "billing" | "support" = answers.team.choice;
  const probability: number = answers.team.probabilities.billing;
  const yes: number = answers.risky.noul;
  const score: number = answers.mood.score;
  // @ts-expect-error a key that is no option
  const wrong: "sales" = answers.team.choice;
  // @ts-expect-error an option that was not asked for
  const none: unknown = answers.team.probabilities.sales;
  // @ts-expect-error a question that was not asked
  const absent: unknown = answers.other;
  // @ts-expect-error a noul has no confidence
  const confidence: unknown = answers.risky.confidence;
  return [choice, probability, yes, score, wrong, none, absent, confidence];
}

export function theSameForOutputs() {
  const team: pulumi.Output<"billing" | "support"> = decisionCheckOutput({ state: "x", questions }).answers.team.choice;
  return team;
}

export function theSameForTheResource() {
  const gate = new Decision("gate", {
    state: { any: "object" },
    questions,
    expect: { team: { choice: ["billing"], minConfidence: 0.5 }, risky: { max: 0.2 }, mood: { min: 0.5 } },
  });
  const choice: pulumi.Output<"billing" | "support"> = gate.answers.team.choice;
  // @ts-expect-error an option that is none
  new Decision("a", { state: "x", questions, expect: { team: { choice: "sales" } } });
  // @ts-expect-error a question that was not asked
  new Decision("b", { state: "x", questions, expect: { other: { min: 1 } } });
  // @ts-expect-error a noul has no confidence
  new Decision("c", { state: "x", questions, expect: { risky: { minConfidence: 1 } } });
  return choice;
}
