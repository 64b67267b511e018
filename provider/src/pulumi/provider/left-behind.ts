import { ofUnprovenNote } from "../../rules/pay-again";
import type { Question } from "../../rules/question";
import type { JournalNote } from "../../service/journal/journal";
import type { Operation } from "./operation";

interface BilledRequest {
  name: string;
  /** What is awaited: `decisions`. */
  what: string;
  /** The question whether to pay for it again. */
  question: Question;
  /** The log line after a person has said yes. */
  again: string;
  /** Whether an input of the resource can take over the object that the note names. */
  canAdopt: boolean;
}

/**
 * Returns the note of an earlier attempt if it certainly belongs to this resource. If it may belong to another one,
 * asks a person. Undefined: send the request.
 */
export async function leftBehind(
  { billed, questions }: Pick<Operation, "billed" | "questions">,
  key: string,
  { name, what, question, again, canAdopt }: BilledRequest,
): Promise<JournalNote | undefined> {
  const note = await billed.leftBehind(key, what);
  if (!note?.unproven && !note?.isShared) return note;
  const taskId = canAdopt && !note.unproven ? note.id : undefined;
  await questions.assertAccepted(ofUnprovenNote(name, question, { isShared: !note.unproven, taskId }), again);
  return undefined;
}
