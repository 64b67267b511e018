import { InputError } from "../../errors";
import { inputsThat, isSame } from "../../rules/inputs";
import type { DeclaredResource } from "../../rules/resources";
import type { AnyLifecycle, Props, Resource } from "./lifecycle";

/**
 * Refuses inputs that a policy changed after their check (`remediate`): a voice is named for what was checked.
 * Workaround: the engine drops such a change when it replaces a resource, so each update would pay for another one.
 */
export function refuseLateChanges({ inputs }: DeclaredResource): (lifecycle: AnyLifecycle) => AnyLifecycle {
  const checked = new Map<string, Props>();
  const assertAsChecked = (news: object, { label, name }: Resource, more: string[], unknown: ReadonlySet<string>) => {
    const before = checked.get(label);
    const late = [...new Set([...inputsThat("replaces", inputs), ...more])].filter(
      (each) => before && !unknown.has(each) && !isSame(before[each], (news as Props)[each]),
    );
    // Forget a check once it was compared: ten thousand would take memory, and not every caller checks again.
    if (late.length === 0) return void checked.delete(label);
    throw new InputError(`${name}: a policy (remediate) changed ${late.join(", ")} after the check`, {
      advice: "Write the value in the program, and let the policy ask for it: Pulumi drops the change in replacements.",
    });
  };
  return (lifecycle) => ({
    ...lifecycle,
    async check(...args) {
      const result = await lifecycle.check(...args);
      checked.set(args[2].label, result.inputs as Props);
      return result;
    },
    async diff(id, olds, news, resource, unknown) {
      const result = await lifecycle.diff(id, olds, news, resource, unknown);
      if (result.replaces.length > 0) assertAsChecked(news, resource, result.replaces, unknown);
      else checked.delete(resource.label);
      return result;
    },
    async create(news, resource) {
      assertAsChecked(news, resource, ["audio"], new Set());
      return await lifecycle.create(news, resource);
    },
  });
}
