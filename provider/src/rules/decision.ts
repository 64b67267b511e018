import stableStringify from "safe-stable-stringify";
import { isRecord } from "./is-record";
import { type Failure, type Fields, isBlank, type Trigger, triggersField } from "./fields";

/** Contract 2.3. */
export interface ChoiceQuestion<Option extends string = string> {
  type: "choice";
  instructions: string;
  /** What each option means, by the option's key. */
  criteria: Record<Option, string>;
}
export interface NoulQuestion {
  type: "noul";
  instructions: string;
}
export interface ScoreQuestion {
  type: "score";
  instructions: string;
  /** What each level means; the first is the lowest. */
  criteria: readonly string[];
}
export type Question = ChoiceQuestion | NoulQuestion | ScoreQuestion;
export type Questions = Record<string, Question>;

export interface ChoiceAnswer<Option extends string = string> {
  type: "choice";
  /** The most likely option. */
  choice: Option;
  /** How sure the model is, 0 to 1. */
  confidence: number;
  /** Two decimals each, so that they may add up to 0.99 or 1.01. */
  probabilities: Record<Option, number>;
}
export interface NoulAnswer {
  type: "noul";
  /** The probability of yes, 0 to 1: 0.5 means that both are equally likely. */
  noul: number;
}
export interface ScoreAnswer {
  type: "score";
  /** From 0 to the highest level's index; may lie between two levels. */
  score: number;
  confidence: number;
  /** What each level means, by its index. */
  legend: Record<string, string>;
  probabilities: Record<string, number>;
}
export type Answer<Q extends Question = Question> =
  Q extends ChoiceQuestion<infer Option>
    ? ChoiceAnswer<Option>
    : Q extends NoulQuestion
      ? NoulAnswer
      : Q extends ScoreQuestion
        ? ScoreAnswer
        : never;
export type Answers<Q extends Questions = Questions> = { [Id in keyof Q]: Answer<Q[Id]> };

/** What an answer must be for the update to go on. */
export type Expectation<Q extends Question = Question> =
  Q extends ChoiceQuestion<infer Option>
    ? { choice?: Option | readonly Option[]; minConfidence?: number }
    : Q extends NoulQuestion
      ? { min?: number; max?: number }
      : Q extends ScoreQuestion
        ? { min?: number; max?: number; minConfidence?: number }
        : never;
export type Expectations<Q extends Questions = Questions> = { [Id in keyof Q]?: Expectation<Q[Id]> };

export interface DecisionResult<Q extends Questions = Questions> {
  answers: Answers<Q>;
  /** The model that answered. */
  model: string;
  requestId: string;
  inputTokens: number;
  /** Milliseconds, as the service measured them. */
  latencyMs: number;
}

export interface DecisionInputs {
  state: string | object;
  questions: Questions;
  triggers?: Trigger[];
  expect?: Expectations;
}

interface DecisionFacts {
  /** What `expect` speaks of; undefined while it is not known. */
  questions: unknown;
}

export const decisionFields: Fields<DecisionInputs, DecisionFacts> = {
  state: { change: "replaces", required: true, hidden: true, fault: stateFault },
  questions: { change: "replaces", required: true, fault: questionsFaults },
  triggers: triggersField,
  expect: {
    change: "updates",
    fault: (value, { questions }) => (questions === undefined ? [] : expectFaults(value, questions)),
  },
};

/** Makers of questions, from which the types of the answers follow. */
export const question = {
  /** One of several options: an object of their keys, each with what it means. */
  choice: <const Criteria extends Record<string, string>>(
    instructions: string,
    criteria: Criteria,
  ): ChoiceQuestion<keyof Criteria & string> => ({
    type: "choice",
    instructions,
    criteria,
  }),
  /** Yes or no, as the probability of yes. */
  noul: (instructions: string): NoulQuestion => ({ type: "noul", instructions }),
  /** A place on a scale of levels, the lowest first. */
  score: (instructions: string, levels: readonly string[]): ScoreQuestion => ({
    type: "score",
    instructions,
    criteria: levels,
  }),
};

/** The state as the text that is sent: one text for one value, whatever the order of its keys. */
export function stateText(state: string | object): string {
  return typeof state === "string" ? state : stableStringify(state);
}

function stateFault(state: unknown): string | undefined {
  if (isBlank(state)) return "is empty";
  return typeof state === "string" || (typeof state === "object" && state !== null)
    ? undefined
    : "must be a text or an object";
}

function questionsFaults(questions: unknown): Failure[] {
  const failures: Failure[] = [];
  const fail = (path: string, reason: string) => failures.push({ property: `questions${path}`, reason });
  if (!isRecord(questions) || Object.keys(questions).length === 0) {
    fail("", "must be an object with at least one question");
    return failures;
  }
  for (const [id, asked] of Object.entries(questions)) {
    const at = `[${JSON.stringify(id)}]`;
    if (!isRecord(asked)) {
      fail(at, "must be a question, as question.choice, question.noul and question.score make them");
      continue;
    }
    if (typeof asked.instructions !== "string" || asked.instructions.trim() === "")
      fail(`${at}.instructions`, "must be a text, and not an empty one");
    const { criteria } = asked;
    switch (asked.type) {
      case "choice":
        if (
          !isRecord(criteria) ||
          Object.keys(criteria).length < 2 ||
          !Object.values(criteria).every((text) => typeof text === "string")
        ) {
          fail(`${at}.criteria`, "must give two options or more, each with what it means");
        }
        break;
      case "score":
        if (!Array.isArray(criteria) || criteria.length < 2 || !criteria.every((text) => typeof text === "string")) {
          fail(`${at}.criteria`, "must list two levels or more, the lowest first");
        }
        break;
      case "noul":
        if (criteria !== undefined) fail(`${at}.criteria`, "is not used for a noul question");
        break;
      default:
        fail(`${at}.type`, "must be choice, noul or score");
    }
  }
  return failures;
}

function expectFaults(expect: unknown, questions: unknown): Failure[] {
  if (!isRecord(expect)) return [{ property: "expect", reason: "must be an object of expectations, by question" }];
  const failures: Failure[] = [];
  for (const [id, expected] of Object.entries(expect)) {
    const property = `expect[${JSON.stringify(id)}]`;
    const asked = isRecord(questions) && Object.hasOwn(questions, id) ? questions[id] : undefined;
    if (!isRecord(asked)) failures.push({ property, reason: "there is no such question" });
    else if (!isRecord(expected)) failures.push({ property, reason: "must be an object" });
    else failures.push(...expectationFaults(expected, asked, property));
  }
  return failures;
}

const bounds = new Map<unknown, readonly string[]>([
  ["choice", ["choice", "minConfidence"]],
  ["noul", ["min", "max"]],
  ["score", ["min", "max", "minConfidence"]],
]);

function expectationFaults(
  expected: Record<string, unknown>,
  asked: Record<string, unknown>,
  property: string,
): Failure[] {
  const allowed = bounds.get(asked.type) ?? [];
  const failures: Failure[] = [];
  for (const [name, value] of Object.entries(expected)) {
    const at = `${property}.${name}`;
    if (!allowed.includes(name))
      failures.push({
        property: at,
        reason: `is not for a ${String(asked.type)} question; allowed: ${allowed.join(", ")}`,
      });
    else if (name === "choice") {
      const options = isRecord(asked.criteria) ? Object.keys(asked.criteria) : [];
      const wrong = [value].flat().filter((option) => !options.includes(String(option)));
      if (wrong.length > 0)
        failures.push({ property: at, reason: `${wrong.join(", ")} is not an option; allowed: ${options.join(", ")}` });
    } else if (typeof value !== "number" || !Number.isFinite(value))
      failures.push({ property: at, reason: "must be a number" });
    else if (name === "minConfidence" && (value < 0 || value > 1))
      failures.push({ property: at, reason: `is ${value}; a confidence is between 0 and 1` });
  }
  return failures;
}

/** What is wrong with answers, held against their questions; empty when they fit. */
export function answersFaults(answers: unknown, questions: Questions): string[] {
  if (!isRecord(answers)) return ["there are no answers"];
  const faults: string[] = [];
  for (const id of Object.keys(answers))
    if (!Object.hasOwn(questions, id)) faults.push(`an answer to ${JSON.stringify(id)}, which was not asked`);
  for (const [id, asked] of Object.entries(questions)) {
    const answer = answers[id];
    const say = (fault: string) => faults.push(`the answer to ${JSON.stringify(id)} ${fault}`);
    if (!isRecord(answer)) say("is missing");
    else if (answer.type !== asked.type) say(`is of the type ${JSON.stringify(answer.type)}, and not ${asked.type}`);
    else if (asked.type === "noul") {
      if (!isShare(answer.noul)) say("has no noul between 0 and 1");
    } else {
      const keys =
        asked.type === "choice" ? Object.keys(asked.criteria) : asked.criteria.map((_, level) => String(level));
      if (!isShare(answer.confidence)) say("has no confidence between 0 and 1");
      if (!isRecord(answer.probabilities) || !sameKeys(answer.probabilities, keys))
        say("has probabilities for other keys than were asked");
      else if (!Object.values(answer.probabilities).every(isShare))
        say("has a probability that is not between 0 and 1");
      if (asked.type === "choice" && !keys.some((key) => key === answer.choice)) say("chooses what was no option");
      if (asked.type === "score") {
        if (typeof answer.score !== "number" || !(answer.score >= 0 && answer.score <= keys.length - 1))
          say(`has no score between 0 and ${keys.length - 1}`);
        if (
          !isRecord(answer.legend) ||
          !sameKeys(answer.legend, keys) ||
          !Object.values(answer.legend).every((text) => typeof text === "string")
        )
          say("has a legend of other levels than were asked");
      }
    }
  }
  return faults;
}

/** For each expectation that is not met: what was expected, what came, and the probabilities. Empty when the gate is open. */
export function unmetExpectations(answers: Answers, expect: Expectations | undefined): string[] {
  const unmet: string[] = [];
  for (const [id, expected] of Object.entries(expect ?? {})) {
    const answer = answers[id];
    if (!expected || !answer) continue;
    const { choice, min, max, minConfidence } = expected as {
      choice?: string | readonly string[];
      min?: number;
      max?: number;
      minConfidence?: number;
    };
    const value = answer.type === "noul" ? answer.noul : answer.type === "score" ? answer.score : undefined;
    const wanted: string[] = [];
    if (choice !== undefined && answer.type === "choice" && ![choice].flat().includes(answer.choice))
      wanted.push([choice].flat().join(" or "));
    if (min !== undefined && value !== undefined && value < min) wanted.push(`at least ${min}`);
    if (max !== undefined && value !== undefined && value > max) wanted.push(`at most ${max}`);
    if (minConfidence !== undefined && answer.type !== "noul" && answer.confidence < minConfidence)
      wanted.push(`a confidence of at least ${minConfidence}`);
    if (wanted.length > 0) unmet.push(`${id}: expected ${wanted.join(" and ")}; came ${describe(answer)}`);
  }
  return unmet;
}

function describe(answer: Answer): string {
  if (answer.type === "noul") return String(answer.noul);
  const said = answer.type === "choice" ? answer.choice : String(answer.score);
  const probabilities = Object.entries(answer.probabilities).map(([key, share]) => `${key} ${String(share)}`);
  return `${said} with confidence ${answer.confidence} (probabilities: ${probabilities.join(", ")})`;
}

function isShare(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1;
}

function sameKeys(value: object, keys: string[]): boolean {
  return Object.keys(value).sort().join("\0") === [...keys].sort().join("\0");
}
