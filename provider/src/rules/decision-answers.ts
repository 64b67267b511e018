import type { Answer, Expectations, Question, Questions } from "./decision";
import { textsOf } from "./visible";
import { isRecord } from "./values";

/**
 * Accepts white space around an option, and numbers sent as text, because both are unambiguous. Does not guess anything
 * else, e.g. an option in another case, a percentage, or the number of an option.
 */
export function readGenerously(
  answers: Readonly<Record<string, unknown>>,
  questions: Questions,
): Record<string, unknown> {
  return mapEntries(answers, (id, answer) => {
    const options = keysOf(ownValue(questions, id));
    if (!isRecord(answer)) return [id, answer];
    return [id, mapEntries(answer, (field, value) => [field, readField(field, value, options)])];
  });
}

function readField(field: string, value: unknown, options: string[]): unknown {
  switch (field) {
    case "choice":
      return typeof value === "string" ? optionIn(options, value) : value;
    case "noul":
    case "score":
    case "confidence":
      return numberIn(value);
    case "probabilities":
      if (!isRecord(value)) return value;
      return mapEntries(value, (key, share) => {
        const option = optionIn(options, key);
        return [Object.hasOwn(value, option) ? key : option, numberIn(share)];
      });
    default:
      return value;
  }
}

function optionIn(options: string[], text: string): string {
  const [option, ...others] = options.filter((each) => each.trim() === text.trim());
  return option === undefined || others.length > 0 || options.includes(text) ? text : option;
}

function numberIn(value: unknown): unknown {
  const isNumber = typeof value === "string" && /^\s*-?\d+(\.\d+)?(e[+-]?\d+)?\s*$/i.test(value);
  // A text with too large a number for JavaScript stays a text, which the error about it can show.
  return isNumber && Number.isFinite(Number(value)) ? Number(value) : value;
}

function mapEntries(values: object, map: (key: string, value: unknown) => [string, unknown]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => map(key, value)));
}

/**
 * `problems`: wrong types or keys, so the answers can't be used. `warnings`: values out of range or contradictions.
 * Such answers are kept, because they were paid for, but meet no expectation.
 */
type Faults = Record<"problems" | "warnings", string[]>;

export function checkAnswers(answers: Readonly<Record<string, unknown>>, questions: Questions): Faults {
  const asked = Object.entries(questions).map(([id, decisionQuestion]): Faults => {
    const name = `the answer to ${JSON.stringify(id)}`;
    const answer = ownValue(answers, id);
    if (answer === undefined) return { problems: [], warnings: [`${name} is missing`] };
    const { problems, warnings } = faultsOf(answer, decisionQuestion);
    const named = (fault: string) => `${name} ${fault}`;
    return { problems: problems.map(named), warnings: warnings.map(named) };
  });
  const notAsked = Object.keys(answers)
    .filter((id) => !Object.hasOwn(questions, id))
    .map((id) => `there is an answer to ${JSON.stringify(id)}, which was not asked`);
  return {
    problems: asked.flatMap(({ problems }) => problems),
    warnings: [...notAsked, ...asked.flatMap(({ warnings }) => warnings)],
  };
}

function faultsOf(answer: unknown, decisionQuestion: Question): Faults {
  const problems = problemsOf(answer, decisionQuestion);
  return { problems, warnings: problems.length > 0 ? [] : warningsOf(answer as Answer, decisionQuestion) };
}

const contractFields: Record<Question["type"], readonly string[]> = {
  choice: ["type", "choice", "confidence", "probabilities"],
  noul: ["type", "noul"],
  score: ["type", "score", "confidence", "legend", "probabilities"],
};

/** Removes fields that the contract does not have: a service may repeat the request there, including the key. */
export function contractAnswers(
  answers: Readonly<Record<string, unknown>>,
  questions: Questions,
): Record<string, unknown> {
  const asked = Object.entries(questions).flatMap(([id, { type }]) => {
    const answer = ownValue(answers, id);
    if (!isRecord(answer)) return [];
    const fields = contractFields[type].filter((name) => Object.hasOwn(answer, name));
    return [[id, Object.fromEntries(fields.map((name) => [name, answer[name]]))] as const];
  });
  return Object.fromEntries(asked);
}

function problemsOf(answer: unknown, decisionQuestion: Question): string[] {
  if (!isRecord(answer)) return ["is not an object"];
  if (answer.type !== decisionQuestion.type)
    return [`is of the type ${JSON.stringify(answer.type)}, and not ${decisionQuestion.type}`];
  const noNumber = (field: "noul" | "confidence" | "score") =>
    !Number.isFinite(answer[field]) && `has no number ${field}${whatCame(answer[field])}`;
  if (decisionQuestion.type === "noul") return textsOf([noNumber("noul")]);
  return textsOf([
    noNumber("confidence"),
    !isRecordOf(answer.probabilities, Number.isFinite) &&
      `has no probabilities that are numbers${whatCame(answer.probabilities)}`,
    decisionQuestion.type === "choice" &&
      !keysOf(decisionQuestion).some((option) => option === answer.choice) &&
      `chooses an option that was not given${whatCame(answer.choice)}`,
    decisionQuestion.type === "score" && noNumber("score"),
    decisionQuestion.type === "score" &&
      !isRecordOf(answer.legend, (entry) => typeof entry === "string") &&
      "has no legend of texts",
  ]);
}

function whatCame(value: unknown): string {
  return value === undefined ? "" : ` (it is ${JSON.stringify(value).slice(0, 60)})`;
}

function warningsOf(answer: Answer, decisionQuestion: Question): string[] {
  if (answer.type === "noul") return isWithin(answer.noul, 1) ? [] : [`has the noul ${answer.noul}, outside 0 to 1`];
  const { confidence, probabilities } = answer;
  const keys = keysOf(decisionQuestion);
  const highest = keys.length - 1;
  const outside = Object.entries(probabilities).filter(([, share]) => !isWithin(share, 1));
  const sum = Object.values(probabilities).reduce((before, share) => before + share, 0);
  return textsOf([
    !isWithin(confidence, 1) && `has the confidence ${confidence}, outside 0 to 1`,
    ...outside.map(([key, share]) => `gives ${JSON.stringify(key)} the probability ${share}, outside 0 to 1`),
    !hasKeys(probabilities, keys) && "has probabilities that do not match the options",
    // Each probability is rounded to two decimals.
    Math.abs(sum - 1) > rounding * keys.length + rounding && `has probabilities that add up to ${sum.toFixed(2)}`,
    answer.type === "choice" &&
      !likeliest(probabilities).includes(answer.choice) &&
      `chooses ${JSON.stringify(answer.choice)}, but gives another option a higher probability`,
    answer.type === "score" &&
      !isWithin(answer.score, highest) &&
      `has the score ${answer.score}, outside 0 to ${highest}`,
    answer.type === "score" && !hasKeys(answer.legend, keys) && "has a legend that does not match the levels",
    answer.type === "score" &&
      !isNearLikely(answer.score, probabilities) &&
      `has the score ${answer.score}, which its own probabilities contradict`,
  ]);
}

const rounding = 0.01;
/** Tolerates floating-point errors of the service. */
const floatNoise = 1e-9;

function likeliest(probabilities: Readonly<Record<string, number>>): string[] {
  const most = Math.max(...Object.values(probabilities));
  return Object.keys(probabilities).filter((key) => (probabilities[key] ?? 0) >= most - rounding);
}

/**
 * The contract does not say whether a score is the likeliest level or the mean of all levels, so either is accepted.
 */
function isNearLikely(score: number, probabilities: Readonly<Record<string, number>>): boolean {
  const mean = Object.entries(probabilities).reduce((before, [level, share]) => before + Number(level) * share, 0);
  return [mean, ...likeliest(probabilities).map(Number)].some((level) => Math.abs(score - level) <= 0.5);
}

/** The keys of the options, or the indexes of the levels. */
function keysOf(decisionQuestion: Question | undefined): string[] {
  const { criteria = {} } = (decisionQuestion ?? {}) as { criteria?: object };
  return Object.keys(criteria);
}

function isWithin(value: number, highest: number): boolean {
  return value >= -floatNoise && value <= highest + floatNoise;
}

function isRecordOf(value: unknown, isEntry: (entry: unknown) => boolean): boolean {
  return isRecord(value) && Object.values(value).every(isEntry);
}

function hasKeys(value: object, keys: string[]): boolean {
  return Object.keys(value).sort().join("\0") === [...keys].sort().join("\0");
}

/** A property of the object itself, not of its prototype. Null counts as missing. */
export function ownValue<T>(values: Readonly<Record<string, T>>, id: string): T | undefined {
  return Object.hasOwn(values, id) ? (values[id] ?? undefined) : undefined;
}

/** The ids of questions without an answer. The type promises programs an answer to each question. */
export function missingAnswers(answers: Readonly<Record<string, unknown>>, questions: Questions): string[] {
  return Object.keys(questions).filter((id) => ownValue(answers, id) === undefined);
}

export interface UnmetExpectation {
  id: string;
  /** For example `at most 0.2`. */
  expected: string;
  /** The answer, its confidence and its probabilities. */
  received: string;
}

/**
 * The expectations that the answers do not meet. Each operation compares the saved answers again, because a refresh
 * drops the failures that the engine has saved. An answer that is out of range or contradicts itself meets no
 * expectation.
 */
export function unmetExpectations(
  answers: Readonly<Record<string, unknown>>,
  questions: Questions,
  expect: Expectations = {},
): UnmetExpectation[] {
  const expectedIds = Object.keys(expect).filter((id) => ownValue(expect, id) !== undefined);
  return [...new Set([...Object.keys(questions), ...expectedIds])].flatMap((id) => {
    const unmet = (expected: string, received: string) => [{ id, expected, received }];
    const answer = ownValue(answers, id) as Answer | undefined;
    if (answer === undefined) return unmet("an answer", "missing in the service's response");
    const [decisionQuestion, expectation] = [ownValue(questions, id), ownValue(expect, id)];
    if (expectation === undefined) return [];
    const faults =
      decisionQuestion === undefined ? ["was not asked"] : Object.values(faultsOf(answer, decisionQuestion)).flat();
    if (faults.length > 0) return unmet(soundAnswer, `one that ${faults.join(" and ")}`);
    const parts = unmetParts(answer, expectation);
    return parts.length === 0 ? [] : unmet(parts.join(" and "), describeAnswer(answer));
  });
}

const soundAnswer = "an answer in the documented ranges (the service may use others)";

/** What a gate waits for, e.g. `tone: friendly, a confidence of at least 0.8`. */
export function describeExpectations(expect: Expectations): string {
  return Object.entries(expect)
    .map(
      ([id, expectation = {}]) =>
        `${id}: ${expectedParts(expectation)
          .map(({ text }) => text)
          .join(", ")}`,
    )
    .join("; ");
}

/** The answers to these questions, e.g. `tone: friendly with confidence 0.9`. */
export function describeAnswers(answers: Readonly<Record<string, unknown>>, ids: readonly string[]): string {
  return ids
    .map((id) => {
      const answer = ownValue(answers, id) as Answer | undefined;
      return `${id}: ${answer === undefined ? "no answer" : describeAnswer(answer)}`;
    })
    .join("; ");
}

type Numbers<Name extends string> = Partial<Record<Name, number>>;
type Bounds = Numbers<"min" | "max" | "minConfidence"> & { choice?: string | readonly string[] };

function unmetParts(answer: Answer, expectation: Bounds): string[] {
  return expectedParts(expectation).flatMap(({ text, isMet }) => (isMet(answer) ? [] : [text]));
}

interface ExpectedPart {
  text: string;
  isMet: (answer: Answer) => boolean;
}

/** The parts of an expectation. Bounds on a number that the answer lacks are met. */
function expectedParts({ choice, min, max, minConfidence }: Bounds): ExpectedPart[] {
  const valueIn = ({ noul = NaN, score = noul }: Numbers<"noul" | "score">) => score;
  const confidenceIn = ({ confidence = NaN }: Numbers<"confidence">) => confidence;
  // A program may write the option "1" as a number, and the check accepts that.
  const allowed = choice === undefined ? undefined : [choice].flat().map(String);
  const parts: (ExpectedPart | undefined)[] = [
    allowed && {
      text: allowed.join(" or "),
      isMet: (answer) => answer.type !== "choice" || allowed.includes(answer.choice),
    },
    min === undefined ? undefined : { text: `at least ${min}`, isMet: (answer) => !(valueIn(answer as object) < min) },
    max === undefined ? undefined : { text: `at most ${max}`, isMet: (answer) => !(valueIn(answer as object) > max) },
    minConfidence === undefined
      ? undefined
      : {
          text: `a confidence of at least ${minConfidence}`,
          isMet: (answer) => !(confidenceIn(answer as object) < minConfidence),
        },
  ];
  return parts.filter((part) => part !== undefined);
}

function describeAnswer(answer: Answer): string {
  if (answer.type === "noul") return String(answer.noul);
  const value = answer.type === "choice" ? answer.choice : String(answer.score);
  const probabilities = Object.entries(answer.probabilities).map(([key, share]) => `${key} ${String(share)}`);
  return `${value} with confidence ${answer.confidence} (probabilities: ${probabilities.join(", ")})`;
}
