import { nameInLabel } from "../rules/resource-types";
import { visible } from "../rules/visible";
import type { Checks } from "./checks";
import type { Layer } from "./lifecycle";

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
