import type { Plan, PlannedQuestion } from "../../rules/plan-line";
import { acceptVariable } from "../../rules/question";

/** A question as a review shows it. `--format json` prints it as it is. */
export type ShownQuestion = PlannedQuestion;

/** The questions that an update will ask. All resources of a stack may share one question. */
export function questionsIn(plans: ReadonlyMap<string, Plan>): ShownQuestion[] {
  const questions = [...plans.values()].flatMap((plan) => plan.questions);
  return [...new Map(questions.map((question) => [question.id, question])).values()];
}

/** Formats one line for each question, and a line with the variable that says yes to all questions. */
export function questionLines(questions: readonly ShownQuestion[]): string[] {
  if (questions.length === 0) return [];
  const lines = questions.map(({ uncertain, yes, otherwise }) =>
    [`Question: ${uncertain}`, otherwise, `If you say yes, ${yes}.`].filter(Boolean).join(" "),
  );
  const all = `${acceptVariable}=${questions.map(({ id }) => id).join(",")}`;
  return [...lines, `To say yes${questions.length > 1 ? " to all of them" : ""}, run the update with ${all}`];
}
