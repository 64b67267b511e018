import * as pulumi from "@pulumi/pulumi";
import { version } from "../../../package.json";
import { identityText, nativeTypes, resourceTypes } from "../rules/resource-types";
import { propertiesOf, type Registration, type ResourceDefinition } from "./definitions";
import { toldIdentity } from "./identity";

/*
 * Replaces register.ts for the native plugin. Workaround: the property `identity` passes the facts that the engine does
 * not pass (rules/resource-types.ts).
 */

export const types = { ...nativeTypes, voiceCatalog: resourceTypes.voiceCatalog };

export const plugin: { version: string } | undefined = { version };

export function register(
  definition: ResourceDefinition,
  name: string,
  args: Record<string, unknown>,
  opts: pulumi.CustomResourceOptions = {},
): Registration {
  const { resource, names } = definition;
  // `customTimeouts` does not become an input, because the engine itself passes this option to a plugin.
  const { customTimeouts: _, ...others } = opts;
  const fields = [...names.inputs, ...names.outputs].map((field) => [field, undefined]);
  return {
    type: types[resource],
    // `CloudVoice.get` sets `id`, and does not pass inputs. So each field is registered without a value.
    props: opts.id
      ? (Object.fromEntries(fields) as Registration["props"])
      : {
          ...propertiesOf(definition, name, args, others, undefined, ["identity"]).props,
          identity: toldIdentity(opts).then(identityText),
        },
    // Because of the alias, the engine does not replace a resource that the dynamic provider created.
    options: pulumi.mergeOptions(pulumi.mergeOptions(plugin, opts), { aliases: [{ type: resourceTypes[resource] }] }),
  };
}
