import { InputError, UnexpectedAnswerError } from "../../errors";
import { missingAnswers } from "../../rules/decision-answers";
import type { DecisionResult, Questions } from "../../rules/decision";
import type { Settings } from "../../rules/settings";
import type { BilledRequests } from "../../service/billed-requests";
import type { Service } from "../../service/connect";

/** What the TypeScript functions and the functions of the plugin need. */
export interface Connection {
  service: Service;
  settings: Settings;
  billed: Pick<BilledRequests, "send">;
}

/** The account's voices, and how many of them it may hold. */
export async function listVoices(
  { service, settings }: Pick<Connection, "service" | "settings">,
  targetModel: string | undefined,
) {
  const all = await service.account.voicesNow();
  const voices = all
    .filter((row) => targetModel === undefined || row.targetModel === targetModel)
    .map(({ voice, targetModel: model, gmtCreate }) => ({
      voice,
      targetModel: model,
      ...(gmtCreate !== undefined && { createdAt: gmtCreate }),
    }));
  const { voiceQuota: quota } = settings;
  return { voices, total: all.length, quota, remaining: Math.max(0, quota - all.length) };
}

/** Asks without keeping the answers. With a secret input no message shows a value. */
export async function askOnce<Q extends Questions>(
  connect: () => Connection | Promise<Connection>,
  args: { state: string | object; questions: Q },
  secret: boolean,
  warn: (line: string) => void,
): Promise<DecisionResult<Q>> {
  // Loaded late: the schema is heavy, and most programs ask nothing.
  const { checkDecisionInputs, decisionWarnings } = await import("../../rules/decision-inputs");
  const problems = checkDecisionInputs(args, new Set()).map(({ input, path, reason }) =>
    secret ? `${input} is invalid; the reason is not shown, because an input is secret` : `${path} ${reason}`,
  );
  if (problems.length > 0) throw new InputError(`decisionCheck: ${problems.join("; ")}`);
  if (!secret) for (const warning of decisionWarnings(args)) warn(`decisionCheck: ${warning}`);
  const { service, billed } = await connect();
  // Each call is meant to ask again, so nothing of it is noted for a later run.
  const result = await billed.send(
    undefined,
    ({ beforeSend }) => service.decisions.ask(args.state, args.questions, { secret, beforeSend }),
    () => ({}),
  );
  const missing = missingAnswers(result.answers, args.questions);
  if (missing.length === 0) return result;
  const names = secret ? "their names are not shown, because an input is secret" : missing.join(", ");
  throw new UnexpectedAnswerError(`decisionCheck: ${missing.length} questions have no answer: ${names}`, {
    requestId: result.requestId,
    billed: "yes",
    advice: "Run the command again.",
  });
}
