import { InputError } from "../errors";
import { acceptVariable, type Question, QuestionError, questionIds, questionText } from "../rules/question";
import type { Log } from "./log";

interface QuestionsParts {
  /** The ids to which a person has said yes. */
  accepted: ReadonlySet<string>;
  now: () => number;
  log: Pick<Log, "line">;
}

/** The questions of an operation to a person. An open question stops the step that it is about. */
export class Questions {
  /**
   * The id of the first open question that stops the operation. A question of the kind `pay-again` stops only its own
   * resource.
   */
  private open: string | undefined;

  constructor(private readonly parts: QuestionsParts) {}

  /** Whether a person has said yes. Logs `about`, the step that the answer allows. */
  isAccepted(question: Question, about: string): boolean {
    const { accepted, log } = this.parts;
    if (accepted.size === 0) return false;
    const isAccepted = this.idsOf(question).some((id) => accepted.has(id));
    if (isAccepted) log.line(`${about} (${question.kind}: accepted)`);
    return isAccepted;
  }

  assertAccepted(question: Question, about: string): void {
    if (!this.isAccepted(question, about)) throw new QuestionError(question, this.recordOpen(question));
  }

  textOf(question: Question): string {
    return questionText(question, this.recordOpen(question));
  }

  /**
   * Called before each billed request, because the person may decide that the update must not bill anything, e.g. if
   * all voices of the stack exist already. Requests that were sent before are finished, with their resends.
   */
  readonly assertNoneOpen = (): void => {
    if (this.open === undefined) return;
    throw new InputError("the request was not sent: no request is billed while a question of this update is open", {
      advice: `Answer the question (${acceptVariable}=${this.open}), or do what its message advises, and run the update again.`,
    });
  };

  idOf(question: Question): string {
    return this.idsOf(question)[0];
  }

  private recordOpen(question: Question): string {
    const [id] = this.idsOf(question);
    if (question.kind !== "pay-again") this.open ??= id;
    return id;
  }

  private idsOf(question: Question) {
    return questionIds(question, this.parts.now());
  }
}
