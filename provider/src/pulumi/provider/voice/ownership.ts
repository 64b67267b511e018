import stableStringify from "safe-stable-stringify";
import { resolveExistingVoice } from "../../../rules/existing-voice";
import { hasGeneratedName } from "../../../rules/voice";
import type { Props } from "../lifecycle";

/** What happens to the voice of a resource whose delete the engine asks for. */
export type DeleteDecision =
  | { action: "delete" }
  /** The state entry goes, and the voice stays, because another copy of the resource holds it. */
  | { action: "keep"; reason?: string }
  | { action: "reject"; reason: string };

/** What becomes of a resource that keeps its inputs. */
export type KeepDecision =
  | { action: "keep" }
  /** A resource that is to adopt the voice conflicts with this one. */
  | { action: "reject"; reason: string }
  /** Another resource of this operation holds the voice by now, so this one needs a voice of its own. */
  | { action: "replace"; reason: string };

/**
 * Who holds which voice in the operation that is under way. This is the only place that decides it.
 *
 * Two copies of a resource can hold one voice: after `--replace`, when the create reused the existing voice, and
 * after a replacement that was interrupted. The delete of the old copy must then keep the voice, and the engine does
 * not report the other copy. The evidence is what the engine calls in the same operation:
 *
 * - `check` without old inputs: a create is to come. With `deleteBeforeReplace` the delete runs first, and would
 * delete the voice that the create is about to reuse or adopt.
 * - `diff` without a replacement: the resource keeps its voice. But a refresh, also the one in a `destroy`, calls
 * `diff` with inputs from the state. Inputs of the program come from a `check` of the same operation, and a `destroy`
 * calls no `check`.
 * - `create`: the voice that it made, reused or adopted is held from then on.
 * - Resources that a targeted update excludes are neither checked nor diffed. The program reports those that have a
 * former name (shared/untargeted.ts).
 */
export class Ownership {
  private readonly declared = new Set<string>();
  private readonly expectedNames = new Set<string>();
  private readonly expectedAdoptions = new Set<unknown>();
  private readonly held = new Set<string>();
  private readonly claimed = new Set<string>();

  constructor(private readonly wasUntargeted: (voice: string) => boolean = () => false) {}

  /** `check` accepted these inputs of the program. */
  declare(inputs: Props): void {
    this.declared.add(stableStringify(inputs));
  }

  /** `check` had no old inputs, so a create with these inputs is to come. */
  expectCreate(inputs: Props): void {
    if (inputs.adopt !== undefined) this.expectedAdoptions.add(inputs.adopt);
    else if (hasGeneratedName(inputs)) this.expectedNames.add(nameKey(inputs));
  }

  /** `create` made, reused or adopted the voice. */
  claim(voice: string): void {
    this.held.add(voice);
    this.claimed.add(voice);
  }

  /** `delete` is about to delete the voice. */
  release(voice: string): void {
    this.claimed.delete(voice);
  }

  /** Whether a resource holds the voice, as far as this operation knows. */
  isHeld(voice: string): boolean {
    return this.held.has(voice);
  }

  /** `diff` found nothing to replace: whether the resource keeps its voice. */
  onKeep(voice: string, inputs: Props): KeepDecision {
    // A refresh calls diff too. It says nothing about the program.
    if (!this.declared.has(stableStringify(inputs))) return { action: "keep" };
    if (this.expectedAdoptions.has(voice)) return { action: "reject", reason: sharedVoice(voice) };
    if (this.claimed.has(voice)) {
      // The resource was renamed, and a new resource of its former name came first and found the voice by its own name.
      const reason =
        `the voice ${voice} was taken by the new resource with the name that it was created under; ` +
        "this resource gets a voice of its own";
      return { action: "replace", reason };
    }
    this.held.add(voice);
    return { action: "keep" };
  }

  /** `delete` was called for a copy of a resource with this state. */
  onDelete(voice: string, state: Props, nowMs: number): DeleteDecision {
    if (this.held.has(voice) || this.expectedAdoptions.has(voice) || this.wasUntargeted(voice)) {
      return { action: "keep", reason: `the voice ${voice} is kept: another copy of its resource holds it` };
    }
    if (!hasGeneratedName(state) || !this.expectedNames.has(nameKey(state))) return { action: "delete" };
    // The create that is to come has the name of this copy, and so its content: it will find this voice.
    const found = { voice, gmtCreate: String(state.createdAt) };
    const { reject } = resolveExistingVoice(String(state.preferredName), true, [found], nowMs);
    return reject === undefined ? { action: "keep" } : { action: "reject", reason: reject };
  }
}

export function sharedVoice(voice: string): string {
  return `the voice ${voice} belongs to another resource of this stack; two resources can't share a voice`;
}

function nameKey({ preferredName, targetModel }: Props): string {
  return stableStringify([preferredName, targetModel]);
}
