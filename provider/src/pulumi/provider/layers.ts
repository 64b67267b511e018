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
 * The layers around each life cycle. A call passes through the first layer first. The life cycle of a set has only the
 * layers with `ofSets`. It wraps the life cycle of its entries in `addresses.kept` itself, and the adapter of sets
 * refuses late changes. `own`: layers that only the dynamic provider adds.
 */
function layersOf(operation: Operation, own: readonly Layer[]): { layer: Layer; ofSets?: true }[] {
  const { calls, addresses, underway } = operation;
  return [
    // Each `check` announces its resource, and shows the stack and the provider process of the operation.
    { layer: announceChecks(operation), ofSets: true },
    // An error names the damage in a saved state that somebody edited.
    { layer: damagedStates },
    // Inputs that a policy changed after `check` are refused.
    { layer: refuseLateChanges(calls) },
    // The create of a resource is refused if the operation omits a gate on which the resource depends.
    { layer: keepGates(calls), ofSets: true },
    // If a service on this machine can't be reached, a thousand resources report the reason only once.
    { layer: outageReports(), ofSets: true },
    ...own.map((layer) => ({ layer })),
    // The state of each resource records the account to which the resource belongs.
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

/**
 * Announces each resource. From the first `check`, the operation learns its stack and its provider process. An
 * operation without a `check` does not know them.
 */
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
