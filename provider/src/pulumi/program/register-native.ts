import * as pulumi from "@pulumi/pulumi";
import { version } from "../../../package.json";
import { identityText } from "../shared/identity";
import { nativeTypes, resourceTypes } from "../shared/resource-types";
import { propertiesOf, type Registration } from "./arguments";
import type { ResourceDefinition } from "./definitions";
import { declaredBy, toldIdentity } from "./identity";

/* register.ts for the native plugin. Workaround: `identity` passes what the engine does not (shared/identity.ts). */

export const types = { ...nativeTypes, voiceCatalog: resourceTypes.voiceCatalog };

export const plugin: { version: string } | undefined = { version };

export function register(
  definition: ResourceDefinition,
  name: string,
  args: Record<string, unknown>,
  opts: pulumi.CustomResourceOptions = {},
): Registration {
  const { resource, names } = definition;
  // The engine itself passes `customTimeouts` to a plugin.
  const { customTimeouts: _, ...others } = opts;
  const fields = [...names.inputs, ...names.outputs].map((field) => [field, undefined]);
  return {
    type: types[resource],
    // `CloudVoice.get` passes no inputs.
    props: opts.id
      ? (Object.fromEntries(fields) as Registration["props"])
      : {
          ...propertiesOf(definition, name, args, others, undefined, ["identity"]).props,
          identity: toldIdentity(declaredBy(name, args), opts).then(identityText),
        },
    // With the alias, a resource of the dynamic provider is not replaced.
    options: pulumi.mergeOptions(pulumi.mergeOptions(plugin, opts), { aliases: [{ type: resourceTypes[resource] }] }),
  };
}
