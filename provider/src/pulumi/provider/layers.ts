import type { ResourceKind } from "../../rules/resource-types";
import { damagedStates, outageReports } from "./amended-errors";
import { decisionLifecycle } from "./decision/decision-lifecycle";
import { keepGates } from "./gates";
import { imageLifecycle } from "./image/image-lifecycle";
import { refuseLateChanges } from "./late-changes";
import type { AnyLifecycle, Layer } from "./lifecycle";
import type { Operation } from "./operation";
import { voiceLifecycle } from "./voice/voice-lifecycle";

export function inside(layers: readonly Layer[], kind: ResourceKind, lifecycle: AnyLifecycle): AnyLifecycle {
  return layers.reduceRight((inner, layer) => layer(inner, kind), lifecycle);
}

/**
 * The life cycles in their layers. A call passes through the first layer first. `own`: layers that only the dynamic
 * provider adds.
 */
export function lifecyclesOf(operation: Operation, own: readonly Layer[] = []): Record<ResourceKind, AnyLifecycle> {
  const { calls, addresses, underway } = operation;
  const layers = [
    announceChecks(operation),
    damagedStates,
    refuseLateChanges(calls),
    keepGates(calls),
    outageReports(),
    ...own,
    addresses.kept,
    underway.counted,
  ];
  return {
    voice: inside(layers, "voice", voiceLifecycle(operation)),
    image: inside(layers, "image", imageLifecycle(operation)),
    decision: inside(layers, "decision", decisionLifecycle(operation)),
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
