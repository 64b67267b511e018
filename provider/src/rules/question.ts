import { createHash } from "node:crypto";
import { CloudVoiceError } from "../errors";
import { dayMs } from "./time";

/**
 * The kinds of questions to a person (docs/questions.md). `take`: an existing voice with a generated name. `pay-again`:
 * a request or task that would be paid for again. `missing`: voices that may be gone. `account`: an account other than
 * the state's.
 */
export type QuestionKind = "take" | "pay-again" | "missing" | "account";

/** An uncertain fact that a person may decide. */
export interface Question {
  kind: QuestionKind;
  /** The fingerprint of the account. */
  account: string;
  /** The project and the stack, `project/stack`. */
  stack: string;
  /** The request to be paid for again, or the voice to be adopted. Undefined for other questions: one id per stack. */
  request?: string;
  /** The uncertain fact, in sentences. */
  uncertain: string;
  /** What to do first, in sentences. Set if "yes" is probably not the right answer. */
  remedy?: string;
  /** What "yes" does and costs, as the rest of the sentence "If you say yes, …". */
  yes: string;
  /** What to do instead of answering, in sentences. */
  otherwise?: string;
}

/** The variable with the ids of accepted questions. No file of a project can set it. */
export const acceptVariable = "CLOUDVOICE_ACCEPT";

/** 64 bits, so that a project can't choose inputs for which two questions have the same id. */
const idDigits = 16;

/** The valid ids of a question. A question is shown with today's id (UTC), which is valid until the end of tomorrow. */
export function questionIds(
  { kind, account, stack, request = "" }: Pick<Question, "kind" | "account" | "stack" | "request">,
  nowMs: number,
): [today: string, yesterday: string] {
  const idOf = (atMs: number) => {
    const day = new Date(atMs).toISOString().slice(0, 10);
    const hash = createHash("sha256")
      .update(JSON.stringify([kind, account, stack, day, request]))
      .digest("hex");
    return `${kind}-${hash.slice(0, idDigits)}`;
  };
  return [idOf(nowMs), idOf(nowMs - dayMs)];
}

export function acceptedIds(environment: Record<string, string | undefined>): ReadonlySet<string> {
  return new Set((environment[acceptVariable] ?? "").split(/[\s,]/).filter(Boolean));
}

export function questionText({ uncertain, remedy, yes, otherwise }: Question, id: string): string {
  const answer = `If you say yes, ${yes}. To say yes, run this with ${acceptVariable}=${id}.`;
  return [uncertain, remedy, answer, otherwise].filter(Boolean).join(" ");
}

/** A question that stopped the operation: nothing was done, because no person has said yes. */
export class QuestionError extends CloudVoiceError {
  constructor(
    readonly question: Question,
    // Not called `id`: if the error of a create has an `id`, the engine saves a resource.
    readonly questionId: string,
  ) {
    super(questionText(question, questionId));
  }
}
