import * as pulumi from "@pulumi/pulumi";
import type { ResourceDefinition } from "./definitions";
import { registerDynamic } from "./register";

/** The part that the constructors of all resources share. */
export abstract class ServiceResource extends pulumi.CustomResource {
  /**
   * How the resources of a class are registered with the engine. Classes for another provider have another function.
   * @internal
   */
  static readonly register = registerDynamic;

  /** @internal */
  constructor(definition: ResourceDefinition, name: string, args: object, opts?: pulumi.CustomResourceOptions) {
    const { type, props, end } = new.target.register(definition, name, args as Record<string, unknown>, opts);
    try {
      super(type, name, props, opts);
    } finally {
      end();
    }
  }
}

/** Whether a value is a resource of this type, whichever copy of this package created it. */
export function hasType(value: unknown, type: string): boolean {
  return pulumi.CustomResource.isInstance(value) && (value as { __pulumiType?: string }).__pulumiType === type;
}
