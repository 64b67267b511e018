import type { CheckedVoice, ListedVoice, VoiceOutputs } from "../../rules/voice";
import { accountQuestion, missingQuestion, payAgainQuestion, takeQuestion } from "../../rules/questions";
import { QuestionError } from "../../rules/question";
import type { VoiceNote } from "../../service/journal/note";
import type { Resource } from "../lifecycle";
import type { Operation } from "../operation";

/* Each function returns if a person said yes, and throws the question otherwise. */

const aboutOf = ({ service, settings }: Operation, { stack }: Pick<Resource, "stack">) => {
  return { account: service.voiceFingerprint(), stack, ...settings };
};

/** Before a create uses a voice that may not be its own. Until the answer is yes, the resource does not have it. */
export function assertMayTake(operation: Operation, row: ListedVoice, resource: Resource): void {
  const { given, questions } = operation;
  given.release(row.voice, resource.label);
  const { account, stack } = aboutOf(operation, resource);
  questions.assertAccepted(takeQuestion(row, { account, stack }), `the voice ${row.voice} is used`);
  given.add(row.voice, resource.label);
}

export function assertMayPayAgain(
  operation: Operation,
  { preferredName }: CheckedVoice,
  resource: Resource,
  { sentAtMs, isUnread }: Pick<VoiceNote, "sentAtMs" | "isUnread">,
  doubt: string | undefined,
  isYesUsed = false,
): void {
  // `doubt` may name a voice, which a person can adopt, so it has priority.
  const why = doubt ?? (isUnread ? "the service answered with success" : "it may lack voices");
  const question = payAgainQuestion(preferredName, sentAtMs, why, aboutOf(operation, resource));
  if (isYesUsed) throw new QuestionError(question, operation.questions.idOf(question));
  operation.questions.assertAccepted(question, `the voice ${preferredName} is created again`);
}

export function assertMissing(operation: Operation, voice: string, doubt: string, resource: Resource): void {
  const question = missingQuestion(voice, doubt, aboutOf(operation, resource));
  operation.questions.assertAccepted(question, `the voice ${voice} counts as deleted`);
}

/** For a voice that this account lacks, if the state records another account. */
export function assertAccount(
  operation: Operation,
  voice: string,
  { account: recorded }: Pick<VoiceOutputs, "account">,
  resource: Resource,
): void {
  const { account, stack } = aboutOf(operation, resource);
  if (recorded === account) return;
  const question = accountQuestion(voice, recorded, account, stack);
  operation.questions.assertAccepted(question, `the voice ${voice} counts as deleted, in the same account`);
}
