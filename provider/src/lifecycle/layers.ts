import type { ResourceKind } from "../rules/resource-types";
import { voiceLifecycle } from "./voice";
import { damagedStates } from "./amended-errors";
import { decisionLifecycle } from "./decision/decision";
import { keepGates } from "./gates";
import { imageLifecycle } from "./image/image";
import { refuseLateChanges } from "./late-changes";
import type { AnyLifecycle, Layer, Props } from "./lifecycle";
import type { Operation } from "./operation";
import { onlyPlan } from "./plan";

/**
 * The layers around each life cycle. A call passes through the first layer first. `own`: layers that only the dynamic
 * provider adds.
 */
function layersOf(operation: Operation, own: readonly Layer[]): readonly Layer[] {
  const { checks, plan, underway } = operation;
  return [
    announceChecks(operation),
    damagedStates,
    refuseLateChanges(checks),
    keepGates(checks),
    ...own,
    underway.counted,
    onlyPlan(plan),
  ];
}

export function inside(layers: readonly Layer[], kind: ResourceKind, lifecycle: AnyLifecycle): AnyLifecycle {
  return layers.reduceRight((inner, layer) => layer(inner, kind), lifecycle);
}

export function lifecyclesOf(operation: Operation, own: readonly Layer[] = []): Record<ResourceKind, AnyLifecycle> {
  const layers = layersOf(operation, own);
  return {
    voice: inside(layers, "voice", voiceLifecycle(operation)),
    image: inside(layers, "image", imageLifecycle(operation)),
    decision: inside(layers, "decision", decisionLifecycle(operation)),
  };
}

/** Announces each resource, and refuses an address to which the key must not be sent. */
export function announceChecks({ checks, assertAddress }: Pick<Operation, "checks" | "assertAddress">): Layer {
  return (inner, kind) => ({
    ...inner,
    async check(news, olds, resource, unknown) {
      checks.declare(resource, olds !== undefined);
      if (olds === undefined) assertAddress(kind);
      return inner.check(news, olds, resource, unknown);
    },
    diff(id, olds: Props, news, resource, unknown) {
      checks.learn(olds);
      return inner.diff(id, olds, news, resource, unknown);
    },
  });
}
