import { dynamicUrn } from "../../rules/resource-types";
import type { VoiceHolder } from "../../voices/holder";
import type { Step } from "./preview";

/** The ids in a state, of voices and of other resources, taken from the steps of a preview and the exported state. */
export class IdsInState {
  /** The ids in the state both before and after the update. */
  readonly kept: ReadonlySet<string>;
  private readonly urns = new Map<string, Set<string>>();

  /** `whole`: the steps show all resources, so a resource without a step is not in the program. */
  constructor(steps: readonly Step[], exported: readonly VoiceHolder[] = [], whole = false) {
    const ends = ({ op }: Step) => op === "delete" || op === "replace";
    const ending = new Set(steps.filter(ends).map(({ oldState }) => oldState?.id));
    const live = exported.filter(({ isOld }) => !isOld && !whole).map(({ voice }) => voice);
    const inSteps = steps.flatMap(({ urn, oldState }) => {
      return oldState?.id === undefined ? [] : [{ urn: dynamicUrn(oldState.urn ?? urn), voice: oldState.id }];
    });
    for (const { urn, voice } of [...inSteps, ...exported])
      this.urns.set(voice, (this.urns.get(voice) ?? new Set()).add(urn));
    this.kept = new Set([...inSteps.map(({ voice }) => voice), ...live].filter((id) => !ending.has(id)));
  }

  has(id: string): boolean {
    return this.urns.has(id);
  }

  /**
   * Whether another resource has the id. A resource to be deleted counts: an update creates before it deletes, so no
   * create can take its voice.
   */
  isHeldBeside(urn: string, id: string): boolean {
    return [...(this.urns.get(id) ?? [])].some((holder) => holder !== dynamicUrn(urn));
  }
}
