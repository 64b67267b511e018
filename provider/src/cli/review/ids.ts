import { dynamicUrn } from "../../rules/resource-types";
import type { VoiceHolder } from "../../voices/holder";
import type { Step } from "./preview";

/** The ids of a state's voices and other resources, from the steps of a preview and the exported state. */
export class IdsInState {
  /** The ids that are in the state before and after the update. */
  readonly kept: ReadonlySet<string>;
  private readonly urns = new Map<string, Set<string>>();

  /** `whole`: the steps show every resource of the stack, so `kept` does not need ids from the exported state. */
  constructor(steps: readonly Step[], exported: readonly VoiceHolder[] = [], whole = false) {
    const removesId = ({ op }: Step) => op === "delete" || op === "replace";
    const removedIds = new Set(steps.filter(removesId).map(({ oldState }) => oldState?.id));
    const live = exported.filter(({ isOld }) => !isOld && !whole).map(({ voice }) => voice);
    const inSteps = steps.flatMap(({ urn, oldState }) => {
      return oldState?.id === undefined ? [] : [{ urn: dynamicUrn(oldState.urn ?? urn), voice: oldState.id }];
    });
    for (const { urn, voice } of [...inSteps, ...exported])
      this.urns.set(voice, (this.urns.get(voice) ?? new Set()).add(urn));
    this.kept = new Set([...inSteps.map(({ voice }) => voice), ...live].filter((id) => !removedIds.has(id)));
  }

  has(id: string): boolean {
    return this.urns.has(id);
  }

  /** Whether another resource has the id, also one that the update deletes: an update creates before it deletes. */
  isHeldBeside(urn: string, id: string): boolean {
    return [...(this.urns.get(id) ?? [])].some((holder) => holder !== dynamicUrn(urn));
  }
}
