import * as pulumi from "@pulumi/pulumi";

/** The engine can't import a dynamic resource, and would say so less clearly. */
export function refuseImport(
  name: string,
  opts: pulumi.CustomResourceOptions | undefined,
  instead: (id: unknown) => string,
): void {
  if (opts?.import !== undefined)
    throw new pulumi.RunError(`${name}: import can't work for a dynamic resource; ${instead(opts.import)}`);
}
