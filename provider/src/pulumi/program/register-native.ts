import * as pulumi from "@pulumi/pulumi";
import { version } from "../../../package.json";
import { nativeTypes, resourceTypes } from "../shared/resource-types";
import { propertiesOf, type Registration } from "./arguments";
import type { ResourceDefinition } from "./definitions";

/* The same as register.ts for the native plugin: the part of `pulumi-cloudvoice/native` that differs. */

export const types = { ...nativeTypes, voiceCatalog: resourceTypes.voiceCatalog };

export const plugin: { version: string } | undefined = { version };

export function register(
  definition: ResourceDefinition,
  name: string,
  args: Record<string, unknown>,
  opts: pulumi.CustomResourceOptions = {},
): Registration {
  const { resource, names } = definition;
  const { props } =
    opts.id === undefined
      ? propertiesOf(definition, name, args, opts)
      : { props: Object.fromEntries([...names.inputs, ...names.outputs].map((field) => [field, undefined])) };
  // A resource that was the dynamic provider's stays.
  const options = pulumi.mergeOptions({ version }, opts);
  return {
    type: types[resource],
    props,
    options: pulumi.mergeOptions(options, { aliases: [{ type: resourceTypes[resource] }] }),
  };
}
