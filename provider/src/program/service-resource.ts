import * as pulumi from "@pulumi/pulumi";
import type { ResourceDefinition } from "./definitions";
import { gateOf, gatesOf } from "./identity";
import { register } from "./register";
import { emptyStackTraces } from "./sdk";

/** The base class of the resources, with the part that their constructors share. */
export abstract class ServiceResource extends pulumi.CustomResource {
  /**
   * Reads a voice or an image task that another stack or person manages. This resource does not hold it, so its owner
   * can still replace or delete it. Works only with the native plugin. A decision can't be read.
   *
   * @param name - Name of the resource in this program.
   * @param id - The voice, or the id of the image task.
   * @param opts - The usual resource options.
   */
  static get<T>(
    this: new (name: string, args: never, opts?: pulumi.CustomResourceOptions) => T,
    name: string,
    id: pulumi.Input<pulumi.ID>,
    opts?: pulumi.CustomResourceOptions,
  ): T {
    return new this(name, {} as never, { ...opts, id });
  }

  /** @internal */
  constructor(definition: ResourceDefinition, name: string, args: object, opts?: pulumi.CustomResourceOptions) {
    const { type, props, options } = register(definition, name, args as Record<string, unknown>, opts);
    const restoreStackTraces = emptyStackTraces();
    try {
      super(type, name, props, options);
    } finally {
      restoreStackTraces();
    }
    const ownGates = "expect" in args && args.expect !== undefined ? [gateOf(type, name, opts)] : [];
    Object.defineProperty(this, "__gates", { value: [...gatesOf(opts), ...ownGates] });
  }
}

/** Whether a value is a resource of this type, whichever copy of this package created it. */
export function hasType(value: unknown, type: string): boolean {
  return pulumi.CustomResource.isInstance(value) && (value as { __pulumiType?: string }).__pulumiType === type;
}
