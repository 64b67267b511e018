import { InputError } from "../../errors";
import { acceptVariable, type Question, QuestionError, questionIds, questionText } from "../../rules/question";
import type { Log } from "./log";

interface QuestionsParts {
  /** The ids to which a person has said yes. */
  accepted: ReadonlySet<string>;
  now: () => number;
  /** Identifies the backend of the states. Undefined if the backend is not known. */
  backend: () => Promise<string | undefined>;
  log: Pick<Log, "line">;
}

/** The questions of an operation to a person. An open question stops the step that it is about. */
export class Questions {
  /**
   * The id of the first open question that stops the operation. Not a question of the kind `pay-again`, which stops
   * only its own resource, or `unread`, which stops only deletes.
   */
  private open: string | undefined;

  constructor(private readonly parts: QuestionsParts) {}

  /** Whether a person has said yes. Logs `about`, the step that the answer allows. */
  async isAccepted(question: Question, about?: string): Promise<boolean> {
    const { accepted, log } = this.parts;
    if (accepted.size === 0) return false;
    const isAccepted = (await this.idsOf(question)).some((id) => accepted.has(id));
    if (isAccepted && about !== undefined) log.line(`${about} (${question.kind}: accepted)`);
    return isAccepted;
  }

  async assertAccepted(question: Question, about: string): Promise<void> {
    if (!(await this.isAccepted(question, about))) throw await this.errorOf(question);
  }

  async errorOf(question: Question): Promise<QuestionError> {
    return new QuestionError(question, await this.recordOpen(question));
  }

  async textOf(question: Question): Promise<string> {
    return questionText(question, await this.recordOpen(question));
  }

  /**
   * Called before each billed request, because the person may decide that the update must not bill anything, e.g. if
   * all voices of the stack exist already. Requests that were sent before are finished.
   */
  readonly assertNoneOpen = (): void => {
    if (this.open === undefined) return;
    throw new InputError("the request was not sent, because it would be billed and a question of this update is open", {
      advice: `Answer the question (${acceptVariable}=${this.open}), or do what its message advises, and run the update again.`,
    });
  };

  private async recordOpen(question: Question): Promise<string> {
    const [id] = await this.idsOf(question);
    if (question.kind !== "pay-again" && question.kind !== "unread") this.open ??= id;
    return id;
  }

  private async idsOf(question: Question) {
    const { backend, now } = this.parts;
    return questionIds(question, (await backend()) ?? "unknown", now());
  }
}
