import { InputError } from "../../errors";
import { inputsThat, isSame } from "../../rules/inputs";
import type { ResourceKind } from "../../rules/resource-types";
import { resources } from "../../rules/resources";
import type { Calls } from "../../voices/calls";
import type { Layer, Props, Resource } from "./lifecycle";

/**
 * Refuses inputs that a policy changed after their check (`remediate`): a voice is named for what was checked.
 * Workaround: the engine drops such a change when it replaces a resource, so each update would pay for another one.
 */
export function refuseLateChanges(calls: Pick<Calls, "accept" | "acceptedOf" | "forgetAccepted">): Layer {
  const assertAsChecked = (
    kind: ResourceKind,
    news: object,
    resource: Resource,
    more: string[],
    unknown: ReadonlySet<string>,
  ) => {
    const before = calls.acceptedOf(resource) as Props | undefined;
    const late = [...new Set([...inputsThat("replaces", resources[kind].inputs), ...more])].filter(
      (each) => before && !unknown.has(each) && !isSame(before[each], (news as Props)[each]),
    );
    if (late.length === 0) return calls.forgetAccepted(resource);
    throw new InputError(`${resource.name}: a policy (remediate) changed ${late.join(", ")} after the check`, {
      advice: "Write the value in the program, and let the policy ask for it: Pulumi drops the change in replacements.",
    });
  };
  return (inner, kind) => ({
    ...inner,
    async check(...args) {
      const result = await inner.check(...args);
      calls.accept(args[2], result.inputs);
      return result;
    },
    async diff(id, olds, news, resource, unknown) {
      const result = await inner.diff(id, olds, news, resource, unknown);
      if (result.replaces.length > 0) assertAsChecked(kind, news, resource, result.replaces, unknown);
      else calls.forgetAccepted(resource);
      return result;
    },
    async create(news, resource) {
      assertAsChecked(kind, news, resource, ["audio"], new Set());
      return await inner.create(news, resource);
    },
  });
}
