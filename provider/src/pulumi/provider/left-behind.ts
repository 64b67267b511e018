import { ofUnprovenNote } from "../../rules/pay-again";
import type { Question } from "../../rules/question";
import type { JournalNote } from "../../service/journal";
import type { Operation } from "./operation";
import type { RequestKey } from "./request-key";

interface BilledRequest {
  name: string;
  /** What is awaited: `decisions`. */
  what: string;
  /** Whether it is paid for again. */
  question: Question;
  /** What is logged if a person has said yes. */
  again: string;
  /** Whether the resource can take over what the note names. */
  canAdopt: boolean;
}

/**
 * The note that an earlier attempt left, if it is certain to be of this resource. If it may be of another, a person is asked.
 * Undefined: the request is sent.
 */
export async function leftBehind(
  { billed, questions }: Pick<Operation, "billed" | "questions">,
  { key, former }: RequestKey,
  { name, what, question, again, canAdopt }: BilledRequest,
): Promise<JournalNote | undefined> {
  const note = await billed.leftBehind(key, former, what);
  if (!note?.unproven && !note?.isShared) return note;
  const taskId = canAdopt && !note.unproven ? note.id : undefined;
  await questions.assertAccepted(ofUnprovenNote(name, question, { isShared: !note.unproven, taskId }), again);
  return undefined;
}
