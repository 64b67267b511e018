import { dynamicUrn } from "../../rules/resource-types";
import type { VoiceHolder } from "../../voices/holder";
import type { Step } from "./preview";

/** The ids of a state's voices and other resources, from the steps of a preview and the exported state. */
export class IdsInState {
  /** The ids that are in the state before and after the update. */
  readonly kept: ReadonlySet<string>;
  private readonly urns = new Map<string, Set<string>>();
  /** By id: the URNs of the resources that have the id, and that the update neither removes nor replaces. */
  private readonly keepers = new Map<string, Set<string>>();

  /** `whole`: the steps show every resource of the stack, so the exported state shows no other that stays. */
  constructor(steps: readonly Step[], exported: readonly VoiceHolder[] = [], whole = false) {
    const removesId = ({ op }: Step) => op === "delete" || op === "replace";
    const removed = steps.filter(removesId);
    const removedIds = new Set(removed.map(({ oldState }) => oldState?.id));
    const givingUp = new Set(removed.map(({ urn, oldState }) => dynamicUrn(oldState?.urn ?? urn)));
    const live = exported.filter(({ isOld }) => !isOld && !whole);
    const inSteps = steps.flatMap(({ urn, oldState }) => {
      if (oldState?.id === undefined) return [];
      return [{ urn: dynamicUrn(oldState.urn ?? urn), voice: oldState.id, isRead: oldState.external === true }];
    });
    // A resource that the program only reads holds no voice.
    const holding = [...inSteps.filter(({ isRead }) => !isRead), ...live];
    const add = (urns: Map<string, Set<string>>, voice: string, urn: string) =>
      urns.set(voice, (urns.get(voice) ?? new Set()).add(urn));
    for (const { urn, voice } of [...inSteps, ...exported]) add(this.urns, voice, urn);
    for (const { urn, voice } of holding) if (!givingUp.has(urn)) add(this.keepers, voice, urn);
    this.kept = new Set([...inSteps, ...live].map(({ voice }) => voice).filter((id) => !removedIds.has(id)));
  }

  has(id: string): boolean {
    return this.urns.has(id);
  }

  /** The URN of another resource that has the old id of the step, and keeps it. */
  keeperBeside({ urn, oldState }: Step): string | undefined {
    const own = dynamicUrn(oldState?.urn ?? urn);
    return [...(this.keepers.get(oldState?.id ?? "") ?? [])].find((keeper) => keeper !== own);
  }

  /** Whether another resource has the id, also one that the update deletes: an update creates before it deletes. */
  isHeldBeside(urn: string, id: string): boolean {
    return [...(this.urns.get(id) ?? [])].some((holder) => holder !== dynamicUrn(urn));
  }
}
