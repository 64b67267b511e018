import { createHash } from "node:crypto";
import { CloudVoiceError } from "../errors";
import { dayMs } from "./time";

/**
 * The kinds of questions to a person (docs/questions.md). `missing`: voices that may be gone. `pay-again`: a request or
 * a task that would be paid for again. `take`: a voice that has a resource's generated name. `key`: a key that differs
 * from the state's. `address`: an address that differs from the state's. `unread`: states that can't be read, before
 * voices are deleted that they may hold. `create`: voices made by hand that look like those of a new stack.
 */
export type QuestionKind = "missing" | "pay-again" | "take" | "key" | "address" | "unread" | "create";

/** An uncertain fact that a person may decide. */
export interface Question {
  kind: QuestionKind;
  /** The address of the service's interface. */
  origin: string | undefined;
  /** The project and the stack, `project/stack`. */
  stack: string;
  /**
   * The request that is paid for again, or the address in the state. Questions of other kinds have one id for a stack.
   */
  request?: string;
  /** The doubt, as sentences. */
  uncertain: string;
  /** What "yes" does and costs, as the rest of the sentence "If you say yes, …". */
  yes: string;
  /** The ways around an answer, as sentences. */
  otherwise?: string;
}

/** The variable that takes the ids of questions. No file of a project can answer. */
export const acceptVariable = "CLOUDVOICE_ACCEPT";

/** 64 bits: a project that chooses what is hashed finds no second situation with the id of the first. */
const idDigits = 16;

/** The ids of a question that count now: an id holds until the end of the next day (UTC). The first is shown. */
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

/** The question as an error, or a warning, says it. */
export function questionText({ uncertain, yes, otherwise }: Question, id: string): string {
  return `${uncertain} If you say yes, ${yes}. To say yes, run this with ${acceptVariable}=${id}.${otherwise ? ` ${otherwise}` : ""}`;
}

/** Nothing was done, because a person has not said yes. */
export class QuestionError extends CloudVoiceError {
  constructor(
    question: Question,
    // Not `id`: the engine saves a resource for an error of a create that has one.
    readonly questionId: string,
  ) {
    super(questionText(question, questionId));
  }
}
