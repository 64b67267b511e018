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
 * layers with `ofSets`. It has a substitute for three others: it refuses a damaged state itself (`admit`), it wraps the
 * life cycle of its entries in `addresses.kept`, and the adapter of sets (plugin/set-adapter.ts) refuses inputs that a
 * policy changed after `check`. `own`: layers that only the dynamic provider adds.
 */
function layersOf(operation: Operation, own: readonly Layer[]): { layer: Layer; ofSets?: true }[] {
  const { calls, addresses, underway } = operation;
  return [
    { layer: announceChecks(operation), ofSets: true },
    { layer: damagedStates },
    { layer: refuseLateChanges(calls) },
    { layer: keepGates(calls), ofSets: true },
    { layer: outageReports(), ofSets: true },
    ...own.map((layer) => ({ layer })),
    { layer: addresses.kept },
    { layer: underway.counted, ofSets: true },
  ];
}

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

/** Announces each resource. From the first `check`, the operation learns its stack and its provider process. */
export function announceChecks({ calls, states, addresses }: Pick<Operation, "calls" | "states" | "addresses">): Layer {
  return (inner) => ({
    ...inner,
    check(news, olds, resource, unknown) {
      states.learnStack(resource.identity);
      addresses.serve(resource);
      calls.declare(resource);
      return inner.check(news, olds, resource, unknown);
    },
  });
}
