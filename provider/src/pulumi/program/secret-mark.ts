import * as pulumi from "@pulumi/pulumi";

/**
 * An input under the name of an output: the engine makes an output secret when the input of its name is. So what the service
 * derives from a secret becomes secret too. Absent when none of the sources is secret.
 */
export function secretMark(...sources: unknown[]): pulumi.Output<string | undefined> {
  const secret = pulumi.isSecret(pulumi.output(sources));
  return pulumi.output(secret).apply((is) => (is ? pulumi.secret("") : undefined)) as pulumi.Output<string | undefined>;
}
