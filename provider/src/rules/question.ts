import { createHash } from "node:crypto";
import { CloudVoiceError } from "../errors";
import { dayMs } from "./time";

/**
 * The kinds of questions to a person (docs/questions.md). `missing`: voices that may be gone. `pay-again`: a request or
 * task that would be paid for again. `take`: a voice with a resource's generated name. `key`, `address`: an API key or
 * an address other than the state's. `unread`: unreadable states that may hold voices to be deleted. `create`: voices
 * created by hand that look like those of a new stack.
 */
export type QuestionKind = "missing" | "pay-again" | "take" | "key" | "address" | "unread" | "create";

/** An uncertain fact that a person may decide. */
export interface Question {
  kind: QuestionKind;
  /** The address of the service's interface. */
  origin: string | undefined;
  /** The project and the stack, `project/stack`. */
  stack: string;
  /** The request to be paid for again, or the address in the state. Undefined for other kinds: one id per stack. */
  request?: string;
  /** The uncertain fact, in sentences. */
  uncertain: string;
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
  { kind, origin = "", stack, request = "" }: Pick<Question, "kind" | "origin" | "stack" | "request">,
  backend: string,
  nowMs: number,
): [today: string, yesterday: string] {
  const idOf = (atMs: number) => {
    const day = new Date(atMs).toISOString().slice(0, 10);
    const hash = createHash("sha256")
      .update(JSON.stringify([kind, origin, backend, stack, day, request]))
      .digest("hex");
    return `${kind}-${hash.slice(0, idDigits)}`;
  };
  return [idOf(nowMs), idOf(nowMs - dayMs)];
}

export function acceptedIds(environment: Record<string, string | undefined>): ReadonlySet<string> {
  return new Set((environment[acceptVariable] ?? "").split(/[\s,]/).filter(Boolean));
}

export function questionText({ uncertain, yes, otherwise }: Question, id: string): string {
  return `${uncertain} If you say yes, ${yes}. To say yes, run this with ${acceptVariable}=${id}.${otherwise ? ` ${otherwise}` : ""}`;
}

/** A question that stopped the operation: nothing was done, because no person has said yes. */
export class QuestionError extends CloudVoiceError {
  constructor(
    question: Question,
    // Not called `id`: if the error of a create has an `id`, the engine saves a resource.
    readonly questionId: string,
  ) {
    super(questionText(question, questionId));
  }
}
