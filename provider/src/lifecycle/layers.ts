import { nameInLabel, type ResourceKind } from "../rules/resource-types";
import { voiceLifecycle } from "./voice";
import { damagedStates } from "./amended-errors";
import { decisionLifecycle } from "./decision/decision";
import { imageLifecycle } from "./image/image";
import { refuseLateChanges } from "./late-changes";
import type { AnyLifecycle, Layer, Props } from "./lifecycle";
import type { Operation } from "./operation";
import { onlyPlan } from "./plan";
import { visible } from "../rules/visible";
import type { Checks } from "./checks";

/**
 * The layers around each life cycle. A call passes through the first layer first. `layers`: those that only the dynamic
 * provider adds.
 */
function layersOf(operation: Operation, layers: readonly Layer[]): readonly Layer[] {
  const { checks, plan, underway } = operation;
  return [
    announceChecks(operation),
    damagedStates,
    refuseLateChanges(checks),
    keepGates(checks),
    ...layers,
    underway.counted,
    onlyPlan(plan),
  ];
}

export function inside(layers: readonly Layer[], kind: ResourceKind, lifecycle: AnyLifecycle): AnyLifecycle {
  return layers.reduceRight((inner, layer) => layer(inner, kind), lifecycle);
}

export function lifecyclesOf(operation: Operation, layers: readonly Layer[] = []): Record<ResourceKind, AnyLifecycle> {
  const all = layersOf(operation, layers);
  return {
    voice: inside(all, "voice", voiceLifecycle(operation)),
    image: inside(all, "image", imageLifecycle(operation)),
    decision: inside(all, "decision", decisionLifecycle(operation)),
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

/**
 * Refuses to create a resource that depends on a gate which `--target` or `--exclude` omits. Workaround: the engine
 * does not call the provider for an omitted gate, and would create the resource.
 */
export function keepGates(checks: Pick<Checks, "isDeclared">): Layer {
  return (inner) => ({
    ...inner,
    async check(news, olds, resource, unknown) {
      const checked = await inner.check(news, olds, resource, unknown);
      const omitted = (resource.identity?.gates ?? []).filter((label) => !checks.isDeclared({ label }));
      // The engine does not pass old inputs for a create and for the second check of a replacement.
      if (olds !== undefined || omitted.length === 0) return checked;
      const gates = visible(omitted.map(nameInLabel).join(", "));
      const reason = `depends on the gate "${gates}", which --target or --exclude omits. Make the gate a target too`;
      return { ...checked, failures: [...checked.failures, { property: "", reason }] };
    },
  });
}
