import type { Answer, Answers, Expectations, Question, Questions } from "./decision";
import { isRecord } from "./is-record";

/** Where the answers of a response do not fit the questions; empty when they fit. */
export function answerProblems(answers: unknown, questions: Questions): string[] {
  if (!isRecord(answers)) return ["there are no answers"];
  const notAsked = Object.keys(answers).filter((id) => !Object.hasOwn(questions, id));
  return [
    ...notAsked.map((id) => `there is an answer to ${JSON.stringify(id)}, which was not asked`),
    ...Object.entries(questions).flatMap(([id, asked]) =>
      problemsOf(answers[id], asked).map((problem) => `the answer to ${JSON.stringify(id)} ${problem}`),
    ),
  ];
}

function problemsOf(answer: unknown, asked: Question): string[] {
  if (!isRecord(answer)) return ["is missing"];
  if (answer.type !== asked.type) return [`is of the type ${JSON.stringify(answer.type)}, and not ${asked.type}`];
  if (asked.type === "noul") return isShare(answer.noul) ? [] : ["has no noul between 0 and 1"];

  const keys = asked.type === "choice" ? Object.keys(asked.criteria) : asked.criteria.map((_, level) => String(level));
  const problems: (string | false)[] = [
    !isShare(answer.confidence) && "has no confidence between 0 and 1",
    probabilitiesProblem(answer.probabilities, keys),
    asked.type === "choice" && !keys.some((key) => key === answer.choice) && "chooses an option that was not given",
    asked.type === "score" && !isScore(answer.score, keys.length) && `has no score between 0 and ${keys.length - 1}`,
    asked.type === "score" && !isLegend(answer.legend, keys) && "has a legend of other levels than were given",
  ];
  return problems.filter((problem) => problem !== false);
}

function probabilitiesProblem(probabilities: unknown, keys: string[]): string | false {
  if (!isRecord(probabilities) || !hasKeys(probabilities, keys))
    return "has probabilities for other keys than were given";
  return !Object.values(probabilities).every(isShare) && "has a probability that is not between 0 and 1";
}

function isShare(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1;
}

function isScore(value: unknown, levels: number): boolean {
  return typeof value === "number" && value >= 0 && value <= levels - 1;
}

function isLegend(value: unknown, levels: string[]): boolean {
  return isRecord(value) && hasKeys(value, levels) && Object.values(value).every((text) => typeof text === "string");
}

function hasKeys(value: object, keys: string[]): boolean {
  return Object.keys(value).sort().join("\0") === [...keys].sort().join("\0");
}

/** An expectation that an answer does not meet. */
export interface UnmetExpectation {
  id: string;
  /** For example `at most 0.2`. */
  expected: string;
  /** The answer, its confidence and its probabilities. */
  received: string;
}

/** The expectations that the answers do not meet; empty when the update may go on. */
export function unmetExpectations(answers: Answers, expect: Expectations | undefined): UnmetExpectation[] {
  return Object.entries(expect ?? {}).flatMap(([id, expectation]) => {
    const answer = answers[id];
    if (!expectation || !answer) return [];
    const expected = unmetParts(answer, expectation);
    return expected.length === 0 ? [] : [{ id, expected: expected.join(" and "), received: describeAnswer(answer) }];
  });
}

function unmetParts(answer: Answer, expectation: object): string[] {
  const { choice, min, max, minConfidence } = expectation as {
    choice?: string | readonly string[];
    min?: number;
    max?: number;
    minConfidence?: number;
  };
  const value = answer.type === "noul" ? answer.noul : answer.type === "score" ? answer.score : undefined;
  const allowed = choice === undefined ? undefined : [choice].flat();
  const parts: (string | false | undefined)[] = [
    answer.type === "choice" && allowed && !allowed.includes(answer.choice) && allowed.join(" or "),
    min !== undefined && value !== undefined && value < min && `at least ${min}`,
    max !== undefined && value !== undefined && value > max && `at most ${max}`,
    minConfidence !== undefined &&
      answer.type !== "noul" &&
      answer.confidence < minConfidence &&
      `a confidence of at least ${minConfidence}`,
  ];
  return parts.filter((part) => typeof part === "string");
}

function describeAnswer(answer: Answer): string {
  if (answer.type === "noul") return String(answer.noul);
  const value = answer.type === "choice" ? answer.choice : String(answer.score);
  const probabilities = Object.entries(answer.probabilities).map(([key, share]) => `${key} ${String(share)}`);
  return `${value} with confidence ${answer.confidence} (probabilities: ${probabilities.join(", ")})`;
}
