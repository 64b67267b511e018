import * as pulumi from "@pulumi/pulumi";
import {
  askArguments,
  askOnce,
  assertAskable,
  assertKnownArguments,
  listArguments,
  listVoices,
} from "../service/functions";
import { assertKnownOptions, dependenciesReady, invokePlugin, isMocked, programConnection, valueOf } from "./functions";
import type { DecisionCheckResult, GetVoicesResult } from "../../generated/resources";
import type { Questions } from "../rules/decision";
import { assertPlainObjects, hasOutput } from "./sdk";

/** Arguments of {@link getVoices}. */
export interface GetVoicesArgs {
  /** Only voices that are bound to this synthesis model. Default: all voices. */
  targetModel?: string;
}

/**
 * Lists the account's voices whenever the program runs, in previews too. Free of charge. With the option `provider`,
 * lists the voices of that provider's account.
 */
export async function getVoices(args: GetVoicesArgs = {}, opts?: pulumi.InvokeOptions): Promise<GetVoicesResult> {
  assertKnownArguments("getVoices", args, listArguments);
  assertKnownOptions("getVoices", opts);
  return valueOf("getVoices", list(args, opts));
}

async function list(args: GetVoicesArgs, opts: pulumi.InvokeOptions | undefined): Promise<GetVoicesResult> {
  if (opts?.provider !== undefined || isMocked()) return invokePlugin("getVoices", args, opts);
  return listVoices(await programConnection(), args.targetModel);
}

/** {@link getVoices} for outputs. */
export function getVoicesOutput(
  args: { [K in keyof GetVoicesArgs]: pulumi.Input<GetVoicesArgs[K]> } = {},
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetVoicesResult> {
  assertKnownArguments("getVoicesOutput", args, listArguments);
  assertKnownOptions("getVoicesOutput", opts);
  return pulumi
    .all([pulumi.output(args), dependenciesReady(opts?.dependsOn)])
    .apply(([resolved]) => list(resolved as GetVoicesArgs, opts));
}

/** Arguments of {@link decisionCheck}. */
export interface DecisionCheckArgs<Q extends Questions = Questions> {
  /** What the decision is about: a text, or an object, which is sent as text with its keys in a stable order. */
  state: string | object;
  /** The questions by their ids, as `question.choice`, `question.noul` and `question.score` make them. */
  questions: Q;
}

/** Arguments of {@link decisionCheckOutput}: those of {@link decisionCheck}, as inputs. */
export type DecisionCheckOutputArgs<Q extends Questions = Questions> = {
  [K in keyof DecisionCheckArgs<Q>]: pulumi.Input<DecisionCheckArgs<Q>[K]>;
};

/**
 * Asks typed questions about a state whenever the program runs: each preview and each update asks again, is billed
 * again, and may get slightly different answers. To ask once and keep the answers, use `Decision`. If the response to a
 * call is lost, the call is sent once more, and both may be billed. With the option `provider`, the account of that
 * provider is used.
 *
 * @throws InputError for invalid questions, before any call; errors of the service as `CloudVoiceError`.
 */
export async function decisionCheck<const Q extends Questions>(
  args: DecisionCheckArgs<Q>,
  opts?: pulumi.InvokeOptions,
): Promise<DecisionCheckResult<Q>> {
  assertKnownOptions("decisionCheck", opts);
  if (hasOutput([args.state, args.questions]))
    throw new pulumi.RunError("decisionCheck: an argument contains an output or a promise; use decisionCheckOutput");
  return valueOf("decisionCheck", ask(args, false, opts));
}

/** {@link decisionCheck}, with a capital like the names of the resources. */
export const DecisionCheck = decisionCheck;

async function ask<const Q extends Questions>(
  args: DecisionCheckArgs<Q>,
  secret: boolean,
  opts: pulumi.InvokeOptions | undefined,
): Promise<DecisionCheckResult<Q>> {
  // The SDK passes secrets to a function in clear, so `secretInputs` tells the plugin that an argument is secret.
  const invoke = () => invokePlugin("decisionCheck", { ...args, ...(secret && { secretInputs: true }) }, opts);
  if (opts?.provider) return invoke() as Promise<DecisionCheckResult<Q>>;
  await assertAskable(args, secret, (line) => void pulumi.log.warn(line));
  return isMocked() ? (invoke() as Promise<DecisionCheckResult<Q>>) : askOnce(programConnection, args, secret);
}

/**
 * {@link decisionCheck} for outputs. If a preview does not know the outputs yet, nothing is asked and the answers are
 * unknown.
 */
export function decisionCheckOutput<const Q extends Questions>(
  args: DecisionCheckOutputArgs<Q>,
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<DecisionCheckResult<Q>> {
  assertKnownArguments("decisionCheckOutput", args, askArguments);
  assertKnownOptions("decisionCheckOutput", opts);
  const passed = { state: args.state, questions: args.questions };
  assertPlainObjects("decisionCheckOutput", passed);
  const secret = pulumi.isSecret(pulumi.output([args.state, args.questions]));
  return pulumi
    .all([args.state, args.questions, secret, dependenciesReady(opts?.dependsOn)])
    .apply(([state, questions, isSecret]) => ask({ state, questions: questions as unknown as Q }, isSecret, opts));
}
