import type { Answer, Answers, Expectations, Question, Questions } from "./decision";
import { isRecord } from "./is-record";

/**
 * Compares the answers with the questions. The answers are paid for, so they are kept whenever their types allow it:
 * the contract gives no ranges, and rounding may push a number over its bound. Answers with problems have not the types
 * and keys that the contract states, and can't be used. Those with warnings are kept.
 */
export function checkAnswers(
  answers: Readonly<Record<string, unknown>>,
  questions: Questions,
): Record<"problems" | "warnings", string[]> {
  const asked = Object.entries(questions).map(([id, question]) => {
    const name = `the answer to ${JSON.stringify(id)}`;
    const answer = Object.hasOwn(answers, id) ? answers[id] : undefined;
    if (answer === undefined || answer === null) return { problems: [], warnings: [`${name} is missing`] };
    const problems = problemsOf(answer, question);
    const warnings = problems.length > 0 ? [] : warningsOf(answer as Answer, question);
    return { problems: problems.map((each) => `${name} ${each}`), warnings: warnings.map((each) => `${name} ${each}`) };
  });
  const notAsked = Object.keys(answers)
    .filter((id) => !Object.hasOwn(questions, id))
    .map((id) => `there is an answer to ${JSON.stringify(id)}, which was not asked`);
  return {
    problems: asked.flatMap(({ problems }) => problems),
    warnings: [...notAsked, ...asked.flatMap(({ warnings }) => warnings)],
  };
}

const contractFields: Record<Question["type"], readonly string[]> = {
  choice: ["type", "choice", "confidence", "probabilities"],
  noul: ["type", "noul"],
  score: ["type", "score", "confidence", "legend", "probabilities"],
};

/** The answers without what the contract does not have: a service may repeat there what it was sent, also the key. */
export function contractAnswers(
  answers: Readonly<Record<string, unknown>>,
  questions: Questions,
): Record<string, unknown> {
  const asked = Object.entries(questions).flatMap(([id, { type }]) => {
    const answer = Object.hasOwn(answers, id) ? answers[id] : undefined;
    if (!isRecord(answer)) return [];
    const fields = contractFields[type].filter((name) => Object.hasOwn(answer, name));
    return [[id, Object.fromEntries(fields.map((name) => [name, answer[name]]))] as const];
  });
  return Object.fromEntries(asked);
}

function problemsOf(answer: unknown, question: Question): string[] {
  if (!isRecord(answer)) return ["is not an object"];
  if (answer.type !== question.type) return [`is of the type ${JSON.stringify(answer.type)}, and not ${question.type}`];
  if (question.type === "noul") return Number.isFinite(answer.noul) ? [] : ["has no number noul"];
  const problems: (string | false)[] = [
    !Number.isFinite(answer.confidence) && "has no number confidence",
    !isRecordOf(answer.probabilities, Number.isFinite) && "has no probabilities that are numbers",
    question.type === "choice" &&
      !keysOf(question).some((option) => option === answer.choice) &&
      "chooses an option that was not given",
    question.type === "score" && !Number.isFinite(answer.score) && "has no number score",
    question.type === "score" &&
      !isRecordOf(answer.legend, (entry) => typeof entry === "string") &&
      "has no legend of texts",
  ];
  return problems.filter((problem) => problem !== false);
}

function warningsOf(answer: Answer, question: Question): string[] {
  if (answer.type === "noul") return isWithin(answer.noul, 1) ? [] : [`has the noul ${answer.noul}, outside 0 to 1`];
  const keys = keysOf(question);
  const highest = keys.length - 1;
  const outside = Object.entries(answer.probabilities).filter(([, share]) => !isWithin(share, 1));
  const warnings: (string | false)[] = [
    !isWithin(answer.confidence, 1) && `has the confidence ${answer.confidence}, outside 0 to 1`,
    ...outside.map(([key, share]) => `gives ${JSON.stringify(key)} the probability ${share}, outside 0 to 1`),
    !hasKeys(answer.probabilities, keys) && "has probabilities for other keys than were given",
    answer.type === "score" &&
      !isWithin(answer.score, highest) &&
      `has the score ${answer.score}, outside 0 to ${highest}`,
    answer.type === "score" && !hasKeys(answer.legend, keys) && "has a legend of other levels than were given",
  ];
  return warnings.filter((warning) => warning !== false);
}

/** The keys of the options, or the indexes of the levels. */
function keysOf(question: Question): string[] {
  const { criteria = {} } = question as { criteria?: object };
  return Object.keys(criteria);
}

function isWithin(value: number, highest: number): boolean {
  return value >= 0 && value <= highest;
}

function isRecordOf(value: unknown, isEntry: (entry: unknown) => boolean): boolean {
  return isRecord(value) && Object.values(value).every(isEntry);
}

function hasKeys(value: object, keys: string[]): boolean {
  return Object.keys(value).sort().join("\0") === [...keys].sort().join("\0");
}

/** The questions that have no answer: their answers have a type that excludes this, so no program may see them. */
export function missingAnswers(answers: Readonly<Record<string, unknown>>, questions: Questions): string[] {
  return Object.keys(questions).filter((id) => !Object.hasOwn(answers, id) || (answers[id] ?? undefined) === undefined);
}

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
    if (!expectation) return [];
    const answer = Object.hasOwn(answers, id) ? answers[id] : undefined;
    // An update must not go on because a question was left out of the response.
    if (!answer) return [{ id, expected: "an answer", received: "missing in the service's response" }];
    const expected = unmetParts(answer, expectation);
    if (expected.length === 0) return [];
    const isAboutConfidence = expected.some((part) => part.includes("confidence"));
    const received = `${describeAnswer(answer)}${isAboutConfidence ? confidenceNote(answer) : ""}`;
    return [{ id, expected: expected.join(" and "), received }];
  });
}

/**
 * The beginning of the line that a preview logs for a decision at which the update will stop. A review finds the
 * decision by it if the answers or the expectations are secret.
 */
export function closedGateLine(name: string): string {
  return `the update will stop at the decision ${name}, and what depends on it will not be made`;
}

type AnswerNumbers = Record<"confidence" | "noul" | "score", number>;

function unmetParts(answer: Answer, expectation: object): string[] {
  const {
    choice,
    min = -Infinity,
    max = Infinity,
    minConfidence = -Infinity,
  } = expectation as { choice?: string | readonly string[]; min?: number; max?: number; minConfidence?: number };
  // A bound applies only to the numbers that the answer has: a comparison with NaN is false.
  const { confidence = NaN, noul = NaN, score: value = noul } = answer as Partial<AnswerNumbers>;
  const allowed = choice === undefined ? undefined : [choice].flat();
  const parts: (string | false | undefined)[] = [
    answer.type === "choice" && allowed && !allowed.includes(answer.choice) && allowed.join(" or "),
    value < min && `at least ${min}`,
    value > max && `at most ${max}`,
    confidence < minConfidence && `a confidence of at least ${minConfidence}`,
  ];
  return parts.filter((part) => typeof part === "string");
}

function describeAnswer(answer: Answer): string {
  if (answer.type === "noul") return String(answer.noul);
  const value = answer.type === "choice" ? answer.choice : String(answer.score);
  const probabilities = Object.entries(answer.probabilities).map(([key, share]) => `${key} ${String(share)}`);
  return `${value} with confidence ${answer.confidence} (probabilities: ${probabilities.join(", ")})`;
}

/** Without the formula, readers compare an expected confidence with the probability. */
function confidenceNote(answer: Answer): string {
  const count = answer.type === "choice" ? Object.keys(answer.probabilities).length : 0;
  if (count < 2) return "";
  return `; of ${count} options, a probability p is a confidence of (${count}·p − 1) ÷ ${count - 1}`;
}
