/** A question with a fixed set of options. */
export interface ChoiceQuestion<Option extends string = string> {
  type: "choice";
  /** The question. The service does not require it. */
  instructions?: string;
  /** What each option means, by the option's key. */
  criteria: Record<Option, string>;
}
/** A yes-or-no question. */
export interface NoulQuestion {
  type: "noul";
  instructions?: string;
}
/** A question for a place on a scale. */
export interface ScoreQuestion {
  type: "score";
  instructions?: string;
  /** What each level means; the first is the lowest. */
  criteria: readonly string[];
}
export type Question = ChoiceQuestion | NoulQuestion | ScoreQuestion;
export type Questions = Record<string, Question>;

export interface ChoiceAnswer<Option extends string = string> {
  type: "choice";
  /** The most likely option. */
  choice: Option;
  /**
   * How far the likeliest option stands above chance: 0 if all options are equally likely, 1 if one is certain. It is
   * not the probability: of K options, the likeliest with probability p has the confidence (K·p − 1) ÷ (K − 1) in all
   * known responses. Of two options, 0.8 against 0.2 has the confidence 0.6.
   */
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
  /** How sure the model is of the level, from 0 to 1. It is not a probability, and the service gives no formula. */
  confidence: number;
  /** What each level means, by its index. */
  legend: Record<string, string>;
  /** By the level's index. Two decimals each, so that they may add up to 0.99 or 1.01. */
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

/**
 * What an answer must be for the update to go on. `minConfidence` is compared with `confidence`, which is not a
 * probability: see {@link ChoiceAnswer}.
 */
export type Expectation<Q extends Question = Question> =
  Q extends ChoiceQuestion<infer Option>
    ? { choice?: Option | readonly Option[]; minConfidence?: number }
    : Q extends NoulQuestion
      ? { min?: number; max?: number }
      : Q extends ScoreQuestion
        ? { min?: number; max?: number; minConfidence?: number }
        : never;
export type Expectations<Q extends Questions = Questions> = { [Id in keyof Q]?: Expectation<Q[Id]> };

/** Creates questions. The types of the answers follow from them. */
export const question = {
  /** Asks for one of several options. `criteria` gives each option's key and what it means. */
  choice: <const Criteria extends Record<string, string>>(
    instructions: string,
    criteria: Criteria,
  ): ChoiceQuestion<keyof Criteria & string> => ({ type: "choice", instructions, criteria }),
  /** Asks a yes-or-no question. The answer is the probability of yes. */
  noul: (instructions: string): NoulQuestion => ({ type: "noul", instructions }),
  /** Asks for a place on a scale. `levels` says what each level means, the lowest first. */
  score: (instructions: string, levels: readonly string[]): ScoreQuestion => ({
    type: "score",
    instructions,
    criteria: levels,
  }),
};
