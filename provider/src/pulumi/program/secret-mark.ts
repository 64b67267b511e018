import * as pulumi from "@pulumi/pulumi";

/**
 * Marks an output as secret when one of the inputs that the service derives it from is secret. The mark is an input
 * with the name of the output: the engine makes an output secret if the input of the same name is secret. Undefined
 * when no source is secret.
 */
export function secretMark(...sources: unknown[]): pulumi.Output<string | undefined> {
  const secret = pulumi.isSecret(pulumi.output(sources));
  return pulumi.output(secret).apply((is) => (is ? pulumi.secret("") : undefined)) as pulumi.Output<string | undefined>;
}
