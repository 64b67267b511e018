import * as pulumi from "@pulumi/pulumi";

/** Known when the resources of a `dependsOn` are there; unknown in a preview that is yet to make one of them. */
export function dependenciesReady(dependsOn: pulumi.InvokeOutputOptions["dependsOn"]): pulumi.Output<unknown> {
  return pulumi.output(dependsOn ?? []).apply((resources) => {
    const all = [resources].flat<(pulumi.Resource | pulumi.Resource[])[]>();
    return pulumi.all(all.map((resource) => (pulumi.CustomResource.isInstance(resource) ? resource.id : resource.urn)));
  });
}
