import { acceptVariable, type Question, questionIds } from "../../rules/question";

/** A question as a review shows it. `--json` prints it as it is. */
export interface ShownQuestion {
  id: string;
  kind: Question["kind"];
  uncertain: string;
  /** What an update does and costs after a "yes". */
  yes: string;
}

export interface Asking {
  backend: string;
  /** The ids to which a person has said yes. */
  accepted: ReadonlySet<string>;
  nowMs: number;
}

/** The questions that an update will ask. Their ids are computed, and never copied from a program's output. */
export class ReviewQuestions {
  private readonly open = new Map<string, ShownQuestion>();

  constructor(private readonly asking: Asking) {}

  /** Records a question. Returns whether a person has said yes. */
  ask(question: Question): boolean {
    const { backend, accepted, nowMs } = this.asking;
    const ids = questionIds(question, backend, nowMs);
    if (ids.some((id) => accepted.has(id))) return true;
    const { kind, uncertain, yes } = question;
    if (!this.open.has(ids[0])) this.open.set(ids[0], { id: ids[0], kind, uncertain, yes });
    return false;
  }

  shown(): ShownQuestion[] {
    return [...this.open.values()];
  }
}

/** Formats one line for each question, and one with the variable that answers all of them. */
export function questionLines(questions: readonly ShownQuestion[]): string[] {
  if (questions.length === 0) return [];
  const lines = questions.map(({ uncertain, yes }) => `Question: ${uncertain} If you say yes, ${yes}.`);
  const all = `${acceptVariable}=${questions.map(({ id }) => id).join(",")}`;
  return [...lines, `To say yes${questions.length > 1 ? " to all of them" : ""}, run the update with ${all}`];
}
