import * as pulumi from "@pulumi/pulumi";
import { InputError } from "../../errors";
import type { DecisionResult, Questions } from "../../rules/decision";
import { programConnection } from "./connection";
import { dependenciesReady } from "./dependencies";

/** Arguments of {@link decisionCheck}. */
export interface DecisionCheckArgs<Q extends Questions = Questions> {
  /** What the decision is about: a text, or an object, which is sent as text with its keys in a stable order. */
  state: string | object;
  /** The questions by their ids, as `question.choice`, `question.noul` and `question.score` make them. */
  questions: Q;
}

/** The result of {@link decisionCheck}. */
export type DecisionCheckResult<Q extends Questions = Questions> = DecisionResult<Q>;

/** Arguments of {@link decisionCheckOutput}: the same, as inputs. */
export type DecisionCheckOutputArgs<Q extends Questions = Questions> = {
  [K in keyof DecisionCheckArgs<Q>]: pulumi.Input<DecisionCheckArgs<Q>[K]>;
};

/**
 * Asks typed questions about a state whenever the program runs: each preview and each update asks again, is billed
 * again, and may get slightly different answers. To ask once and keep the answers, use `Decision`. A call that fails
 * is sent again, as a read is.
 *
 * @throws InputError for invalid questions, before any call; errors of the service as `CloudVoiceError`.
 */
export async function decisionCheck<const Q extends Questions>(
  args: DecisionCheckArgs<Q>,
  _opts?: pulumi.InvokeOptions,
): Promise<DecisionCheckResult<Q>> {
  // Loaded late: the schema is heavy, and most programs ask nothing.
  const { checkDecisionInputs } = await import("../../rules/decision-inputs");
  const problems = checkDecisionInputs(args, new Set()).map(({ path, reason }) => `${path} ${reason}`);
  if (problems.length > 0) throw new InputError(`decisionCheck: ${problems.join("; ")}`);
  const { service } = await programConnection();
  return service.decisions.ask(args.state, args.questions);
}

/**
 * {@link decisionCheck} for outputs. In a preview that does not know them yet, nothing is asked and the answers are
 * unknown.
 */
export function decisionCheckOutput<const Q extends Questions>(
  args: DecisionCheckOutputArgs<Q>,
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<DecisionCheckResult<Q>> {
  return pulumi
    .all([args.state, args.questions, dependenciesReady(opts?.dependsOn)])
    .apply(([state, questions]) => decisionCheck({ state, questions: questions as unknown as Q }));
}
