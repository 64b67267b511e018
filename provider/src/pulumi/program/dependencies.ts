import * as pulumi from "@pulumi/pulumi";

/** Resolves when the resources of a `dependsOn` exist. Unknown in a preview that has yet to create one of them. */
export function dependenciesReady(dependsOn: pulumi.InvokeOutputOptions["dependsOn"]): pulumi.Output<unknown> {
  return pulumi.output(dependsOn ?? []).apply((resources) => {
    const all = [resources].flat<(pulumi.Resource | pulumi.Resource[])[]>();
    return pulumi.all(all.map((resource) => (pulumi.CustomResource.isInstance(resource) ? resource.id : resource.urn)));
  });
}
