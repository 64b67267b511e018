import { InputError, UnexpectedAnswerError } from "../errors";
import { missingAnswers } from "../rules/decision-answers";
import type { Questions } from "../rules/decision";
import type { DecisionResult } from "../rules/decision-fields";
import { unknownNames } from "../rules/nearest-name";
import type { Settings } from "../rules/settings";
import type { BilledRequests } from "./billed-requests";
import type { Service } from "./connect";

export interface Connection {
  service: Service;
  settings: Settings;
  billed: Pick<BilledRequests, "send">;
}

/** The arguments of `getVoices`. */
export const listArguments = ["targetModel"];
/** The arguments of `decisionCheck`. */
export const askArguments = ["state", "questions"];

/** Throws for misspelt arguments, e.g. in a JavaScript program. */
export function assertKnownArguments(name: string, args: object, names: readonly string[]): void {
  const problems = unknownNames(args, names, `an argument of ${name}`);
  if (problems.length > 0) throw new InputError(`${name}: ${problems.join("; ")}`);
}

export async function listVoices({ service, settings }: Connection, targetModel: unknown) {
  if (typeof (targetModel ?? "") !== "string")
    throw new InputError("targetModel must be the name of a synthesis model");
  const { voices: all } = await service.account.now();
  const voices = all
    .filter((row) => (targetModel ?? row.targetModel) === row.targetModel)
    .map(({ voice, targetModel: model, createdAt }) => ({
      voice,
      targetModel: model,
      ...(createdAt !== undefined && { createdAt }),
    }));
  const { voiceQuota: quota } = settings;
  return { voices, total: all.length, quota, remaining: Math.max(0, quota - all.length) };
}

/**
 * Throws if the arguments are not valid, before the questions are sent. With `secret`, messages do not contain values.
 */
export async function assertAskable(
  args: { state: string | object; questions: Questions },
  secret: boolean,
  warn: (line: string) => void,
): Promise<void> {
  // Loaded on first use, because loading the schema takes time, and most programs do not ask questions.
  const { checkDecisionInputs, decisionWarnings } = await import("../rules/decision-fields");
  const { state, questions } = args;
  const invalid = checkDecisionInputs({ state, questions }, new Set(), secret);
  const problems = [
    ...unknownNames(args, askArguments, "an argument of decisionCheck"),
    ...invalid.map(({ path, reason }) => `${path} ${reason}`),
  ];
  if (problems.length > 0) throw new InputError(`decisionCheck: ${problems.join("; ")}`);
  if (!secret) for (const warning of decisionWarnings(args)) warn(`decisionCheck: ${warning}`);
}

/** Asks questions that {@link assertAskable} has checked, without keeping the answers. */
export async function askOnce<Q extends Questions>(
  connect: () => Connection | Promise<Connection>,
  { state, questions }: { state: string | object; questions: Q },
  secret: boolean,
): Promise<DecisionResult<Q>> {
  const { service, billed } = await connect();
  // Without a note in the journal, because each call must ask again.
  const result = await billed.send(
    undefined,
    undefined,
    (sending) => service.decisions.ask(state, questions, { secret, sending }),
    () => ({}),
  );
  const missing = missingAnswers(result.answers, questions);
  if (missing.length === 0) return result;
  const names = secret ? "names are not shown, because an input is secret" : missing.join(", ");
  throw new UnexpectedAnswerError(`decisionCheck: no answer to ${missing.length} of the questions: ${names}`, {
    requestId: result.requestId,
    billed: "yes",
    advice: "Run the command again.",
  });
}
