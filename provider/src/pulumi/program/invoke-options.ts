import * as pulumi from "@pulumi/pulumi";
import { unknownNames } from "../../rules/nearest-name";

const options = ["dependsOn", "parent", "provider", "version", "pluginDownloadURL", "async"] satisfies (
  keyof pulumi.InvokeOutputOptions | "async"
)[];

/** Workaround: a call does not wait for `dependsOn`. Resolves when all of it exists. Unknown in a preview before. */
export function dependenciesReady(dependsOn: pulumi.InvokeOutputOptions["dependsOn"]): pulumi.Output<unknown> {
  return pulumi.output(dependsOn ?? []).apply((resources) => {
    const all = [resources].flat<(pulumi.Resource | pulumi.Resource[])[]>();
    return pulumi.all(all.map((resource) => (pulumi.CustomResource.isInstance(resource) ? resource.id : resource.urn)));
  });
}

/** Calls a function of the plugin, because only the plugin knows the settings of a provider that a program declares. */
export function invokePlugin<T>(name: string, args: object, opts: pulumi.InvokeOptions): Promise<T> {
  return pulumi.runtime.invoke(`cloudvoice:index:${name}`, { ...args }, opts) as Promise<T>;
}

export function assertKnownOptions(name: string, opts: pulumi.InvokeOutputOptions = {}): void {
  const problems = unknownNames(opts, options, `an option of ${name}`);
  if (problems.length > 0) throw new pulumi.RunError(`${name}: ${problems.join("; ")}`);
}
