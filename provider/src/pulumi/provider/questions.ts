import { once } from "../../once";
import { type Question, QuestionError, questionIds, questionText } from "../../rules/question";
import type { Log } from "./log";

interface QuestionsParts {
  /** The ids to which a person has said yes. */
  accepted: ReadonlySet<string>;
  now: () => number;
  /** Identifies the backend of the states. Undefined if it is not known. */
  backend: () => Promise<string | undefined>;
  log: Pick<Log, "line">;
}

/** The questions of an operation to a person. One that is not answered is an error, and nothing is done. */
export class Questions {
  private readonly backend: () => Promise<string>;

  constructor(private readonly parts: QuestionsParts) {
    this.backend = once(async () => (await parts.backend().catch(() => undefined)) ?? "unknown");
  }

  /** Whether a person has said yes. `about` is logged for each thing to which the answer applies. */
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
    return new QuestionError(question, (await this.idsOf(question))[0]);
  }

  async textOf(question: Question): Promise<string> {
    return questionText(question, (await this.idsOf(question))[0]);
  }

  private async idsOf(question: Question) {
    return questionIds(question, await this.backend(), this.parts.now());
  }
}
