import type { Labelled } from "./voice/counts";

/**
 * The calls of `check` in this operation, by the label of the resource. Only they show what the program declares:
 * `diff` is also called by a refresh, e.g. before a `destroy`, with the inputs of the state.
 */
export class Checks {
  private readonly declared = new Set<string>();
  private readonly withState = new Set<string>();
  private readonly toCreate = new Set<string>();

  /** `hasState`: the engine passed old inputs. It passes none for a create and for the second check of a replacement. */
  declare({ label }: Labelled, hasState: boolean): void {
    this.declared.add(label);
    if (hasState) this.withState.add(label);
  }

  get programRuns(): boolean {
    return this.declared.size > 0;
  }

  isDeclared({ label }: Labelled): boolean {
    return this.declared.has(label);
  }

  /** Whether old inputs show that the state has the resource. The engine passes none for `--replace`. */
  isInState({ label }: Labelled): boolean {
    return this.withState.has(label);
  }

  /** Records that a create will follow that may have to be paid for. */
  expectCreate({ label }: Labelled): void {
    this.toCreate.add(label);
  }

  /** Records that the create has begun. */
  createBegan({ label }: Labelled): void {
    this.toCreate.delete(label);
  }

  /** Whether the create that `expectCreate` announced is still to come. A delete before it belongs to a replacement. */
  awaitsCreate({ label }: Labelled): boolean {
    return this.toCreate.has(label);
  }
}
