import * as pulumi from "@pulumi/pulumi";
import { decisionFields, type DecisionResult, type Questions } from "../../rules/decision";
import { failuresOf } from "../../rules/fields";
import { InputError } from "../../errors";
import { programConnection } from "./connection";
import { dependenciesReady } from "./dependencies";

/** Arguments of {@link decisionCheck}. */
export interface DecisionCheckArgs<Q extends Questions = Questions> {
  /** What is to be decided on: a text, or an object, which is sent as text in a stable order. Contract 4.7. */
  state: string | object;
  /** The questions by their ids, as `question.choice`, `question.noul` and `question.score` make them. Contract 2.3. */
  questions: Q;
}

/** What {@link decisionCheck} gives. */
export type DecisionCheckResult<Q extends Questions = Questions> = DecisionResult<Q>;

/** Arguments of {@link decisionCheckOutput}: the same, as inputs. */
export type DecisionCheckOutputArgs<Q extends Questions = Questions> = {
  [K in keyof DecisionCheckArgs<Q>]: pulumi.Input<DecisionCheckArgs<Q>[K]>;
};

/**
 * Asks typed questions about a state, at once and every time: each preview and each update asks, and pays, again, and may be
 * answered a little differently. To ask once and keep the answers, use `Decision`. Tried again like a read.
 *
 * @throws InputError for questions that can't be asked, before any call; errors of the service as `CloudVoiceError`.
 */
export async function decisionCheck<const Q extends Questions>(
  args: DecisionCheckArgs<Q>,
  _opts?: pulumi.InvokeOptions,
): Promise<DecisionCheckResult<Q>> {
  const faults = failuresOf(decisionFields, args, new Set(), { questions: args.questions }).map(
    ({ property, reason }) => `${property} ${reason}`.trim(),
  );
  if (faults.length > 0) throw new InputError(`decisionCheck: ${faults.join("; ")}`);
  const { service } = await programConnection();
  return service.decisions.ask(args.state, args.questions);
}

/** {@link decisionCheck} of inputs that may not be known yet: then, in a preview, nothing is asked and the answers are unknown. */
export function decisionCheckOutput<const Q extends Questions>(
  args: DecisionCheckOutputArgs<Q>,
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<DecisionCheckResult<Q>> {
  return pulumi
    .all([args.state, args.questions, dependenciesReady(opts?.dependsOn)])
    .apply(([state, questions]) => decisionCheck({ state: state, questions: questions as unknown as Q }));
}
