import stableStringify from "safe-stable-stringify";
import type { Props } from "../adapter";

/*
 * Which voices the program, as it is now, is going to hold.
 *
 * Two copies of a resource can hold one voice: after `--replace`, where the create took the voice that was there, and after a
 * replacement that was interrupted. The delete of the old copy must then leave the voice alone, and the engine tells it nothing of
 * the other copy. What tells is:
 *
 * - a diff without a replacement: the resource keeps its voice. But a refresh, also the one inside a `destroy`, calls diff as well;
 *   its inputs come from the state, while those of an update come from a check in this very process. A destroy calls no check;
 * - a check without old inputs: a create is to come. With `deleteBeforeReplace` the delete runs before it, and would delete the very
 *   voice that the create is about to take under its generated name, or to adopt.
 */
class Holdings {
  private readonly declared = new Set<string>();
  private readonly namesToCome = new Set<string>();
  private readonly adoptionsToCome = new Set<unknown>();

  noteDeclared(inputs: Props): void {
    this.declared.add(stableStringify(inputs));
  }

  isDeclared(inputs: Props): boolean {
    return this.declared.has(stableStringify(inputs));
  }

  noteCreateToCome(inputs: Props): void {
    if (inputs.adopt !== undefined) this.adoptionsToCome.add(inputs.adopt);
    else if (inputs.nameVersion !== undefined) this.namesToCome.add(nameOf(inputs));
  }

  willBeAdopted(voice: string): boolean {
    return this.adoptionsToCome.has(voice);
  }

  /** Whether a create to come has the very name of this old copy, and so its content. */
  willBeTaken(old: Props): boolean {
    return old.nameVersion !== undefined && this.namesToCome.has(nameOf(old));
  }
}

function nameOf({ preferredName, targetModel }: Props): string {
  return stableStringify([preferredName, targetModel]);
}

/** One for the process: an operation of the engine. */
export const holdings = new Holdings();
