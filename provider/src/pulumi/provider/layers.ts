import type { ResourceKind } from "../../rules/resource-types";
import { damagedStates, outageReports } from "./amended-errors";
import { decisionLifecycle } from "./decision/decision-lifecycle";
import { keepGates } from "./gates";
import { imageLifecycle } from "./image/image-lifecycle";
import { refuseLateChanges } from "./late-changes";
import type { AnyLifecycle, Layer } from "./lifecycle";
import type { Operation } from "./operation";
import { voiceLifecycle } from "./voice/voice-lifecycle";
import { type SetLifecycle, voiceSetLifecycle } from "./voice-set/set-lifecycle";

/**
 * The layers around each life cycle. A call passes the first layer first. A set has only the layers with `ofSets`: the
 * life cycle of a voice handles its entries, and its adapter refuses late changes itself. `own`: layers of one kind of
 * provider.
 */
function layersOf(operation: Operation, own: readonly Layer[]): { layer: Layer; ofSets?: true }[] {
  const { calls, addresses, underway } = operation;
  return [
    // A check announces its resource, and with it the stack and the process of this operation.
    { layer: announceChecks(operation), ofSets: true },
    // An error names the damage in a saved state that somebody edited.
    { layer: damagedStates },
    // Inputs that a policy changed after their check are refused.
    { layer: refuseLateChanges(calls) },
    // A create behind a gate that this operation omits is refused.
    { layer: keepGates(calls), ofSets: true },
    // A thousand resources report once that nothing listens at an address of this machine.
    { layer: outageReports(), ofSets: true },
    ...own.map((layer) => ({ layer })),
    // The state of each resource records the account that it belongs to.
    { layer: addresses.kept },
    // Calls are counted, so that a failure that concerns only its own resource is reported last.
    { layer: underway.counted, ofSets: true },
  ];
}

/** Wraps a life cycle in layers. */
export function inside(layers: readonly Layer[], kind: ResourceKind, lifecycle: AnyLifecycle): AnyLifecycle {
  return layers.reduceRight((inner, layer) => layer(inner, kind), lifecycle);
}

export function lifecyclesOf(
  operation: Operation,
  own: readonly Layer[] = [],
): Record<ResourceKind, AnyLifecycle> & { voiceSet: SetLifecycle } {
  const all = layersOf(operation, own);
  const layers = all.map(({ layer }) => layer);
  const ofSets = all.filter((each) => each.ofSets).map(({ layer }) => layer);
  return {
    voice: inside(layers, "voice", voiceLifecycle(operation)),
    image: inside(layers, "image", imageLifecycle(operation)),
    decision: inside(layers, "decision", decisionLifecycle(operation)),
    voiceSet: inside(ofSets, "voice", voiceSetLifecycle(operation)) as SetLifecycle,
  };
}

/** Learns the stack and the process from the first `check`: an operation without a `check` does not know them. */
export function announceChecks({ calls, states, addresses }: Pick<Operation, "calls" | "states" | "addresses">): Layer {
  return (inner, kind) => ({
    ...inner,
    check(news, olds, resource, unknown) {
      states.learnStack(resource.identity);
      addresses.serve(resource);
      calls.declare(resource, kind);
      return inner.check(news, olds, resource, unknown);
    },
  });
}
