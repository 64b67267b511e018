import { nameInLabel, type ResourceKind } from "../../rules/resource-types";
import { visible } from "../../rules/visible";
import type { AnyLifecycle } from "./lifecycle";

/** Workaround: `--target` and `--exclude` leave gates out. A create behind one is refused. Shared by an operation. */
export function gateKeeper(): (kind: ResourceKind, lifecycle: AnyLifecycle) => AnyLifecycle {
  const judged = new Set<string>();
  return (kind, lifecycle) => ({
    ...lifecycle,
    async check(news, olds, resource, unknown) {
      if (kind === "decision") judged.add(resource.label).add(resource.name);
      const checked = await lifecycle.check(news, olds, resource, unknown);
      const leftOut = (resource.identity?.gates ?? []).filter((gate) => !judged.has(gate));
      // The engine passes no old inputs for a create, and for the second check of a replacement.
      if (olds !== undefined || leftOut.length === 0) return checked;
      const gates = visible(leftOut.map(nameInLabel).join(", "));
      const reason = `depends on the gate "${gates}", which --target or --exclude omits. Make the gate a target too`;
      return { ...checked, failures: [...checked.failures, { property: "", reason }] };
    },
  });
}
