import { InputError } from "../errors";
import { inputsThat, isSame } from "../rules/inputs";
import { resources } from "../rules/resources";
import type { Checks } from "./checks";
import type { Layer, Props, Resource } from "./lifecycle";

/**
 * Refuses inputs that a policy (`remediate`) changed after `check`, because the generated name of a voice depends on
 * the checked inputs. Workaround: when the engine replaces a resource, it drops the policy's change, so each update
 * would replace the resource again and pay for it.
 */
export function refuseLateChanges({ accepted }: Pick<Checks, "accepted">): Layer {
  return (inner, kind) => {
    const replacing = inputsThat("replaces", resources[kind].inputs);
    const assertAsChecked = (news: object, { label, name }: Resource, more: string[], unknown: ReadonlySet<string>) => {
      const before = accepted.get(label) as Props | undefined;
      const late = [...new Set([...replacing, ...more])].filter(
        (each) => before && !unknown.has(each) && !isSame(before[each], (news as Props)[each]),
      );
      // Forget the checked inputs. Those of ten thousand resources take memory, and a later call without a `check` must
      // not be compared with them.
      if (late.length === 0) return void accepted.delete(label);
      throw new InputError(`${name}: a policy (remediate) changed ${late.join(", ")} after the check`, {
        advice:
          "Set the value in the program, and let the policy only require it, because a policy's change is lost when " +
          "Pulumi replaces a resource.",
      });
    };
    return {
      ...inner,
      async check(...args) {
        const result = await inner.check(...args);
        accepted.set(args[2].label, result.inputs);
        return result;
      },
      async diff(id, olds, news, resource, unknown) {
        const result = await inner.diff(id, olds, news, resource, unknown);
        if (result.replaces.length > 0) assertAsChecked(news, resource, result.replaces, unknown);
        else accepted.delete(resource.label);
        return result;
      },
      async create(news, resource) {
        assertAsChecked(news, resource, ["audio"], new Set());
        return await inner.create(news, resource);
      },
    };
  };
}
