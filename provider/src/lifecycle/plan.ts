import { InputError } from "../errors";
import { type PlanLine, planText, planVariable } from "../rules/plan-line";
import { textsOf } from "../rules/visible";
import { type Question, QuestionError } from "../rules/question";
import type { Layer, Resource } from "./lifecycle";
import type { Log } from "./log";

type Told = Partial<Pick<Resource, "identity">>;

/** Writes what this operation decides, while `CLOUDVOICE_PLAN` is set: a review of a preview sets it. */
export class Planner {
  constructor(
    private readonly log: Pick<Log, "plan">,
    readonly isOn: boolean,
  ) {
    // By this line, a review sees that a plan was written, even an empty one.
    this.write({}, {});
  }

  write({ identity }: Told, line: Omit<PlanLine, "urn">): void {
    // In a refresh, a dynamic provider has no URN. A question concerns the whole update anyway.
    if (this.isOn) this.log.plan(planText({ urn: identity?.savedUrn ?? identity?.urn ?? "", ...line }));
  }

  /** Runs `decide`. A question to a person, which otherwise stops the operation, becomes a line of the plan. */
  async noting<T>(resource: Told, decide: () => Promise<T> | T): Promise<T | undefined> {
    try {
      return await decide();
    } catch (error) {
      if (!this.isOn || !(error instanceof QuestionError)) throw error;
      this.ask(resource, error.question, error.questionId);
      return undefined;
    }
  }

  ask(resource: Told, { kind, uncertain, yes, remedy, otherwise }: Question, id: string): void {
    const instead = textsOf([remedy, otherwise]).join(" ");
    this.write(resource, { question: { id, kind, uncertain, yes, ...(instead !== "" && { otherwise: instead }) } });
  }

  /** A problem of the account. In a plan it is a line, so that the preview goes on and the review is whole. */
  problem(resource: Told, problem: string | undefined): string | undefined {
    if (problem === undefined || !this.isOn) return problem;
    this.write(resource, { fails: problem });
    return undefined;
  }
}

/**
 * While a plan is written, nothing is created, updated or deleted, because questions and problems are only noted and
 * stop nothing. A refresh that would ask about a resource keeps its state.
 */
export function onlyPlan(plan: Planner): Layer {
  if (!plan.isOn) return (inner) => inner;
  const refuse = () =>
    Promise.reject(
      new InputError(`${planVariable} is set, which is only for the preview of a review`, {
        advice: `Unset ${planVariable}, and run the update again.`,
      }),
    );
  return (inner) => ({
    ...inner,
    create: refuse,
    update: refuse,
    delete: refuse,
    async read(id, state, resource) {
      const read = await plan.noting(resource, async () => ({ state: await inner.read(id, state, resource) }));
      return read === undefined ? state : read.state;
    },
  });
}
