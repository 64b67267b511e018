import * as pulumi from "@pulumi/pulumi";

/**
 * Returns the mark of an output that the service derives from these inputs: a secret if one of them is. Workaround: the
 * mark is an input with the output's name, because the engine makes an output secret if the input of the same name is.
 */
export function secretMark(...sources: unknown[]): pulumi.Output<string | undefined> {
  const secret = pulumi.isSecret(pulumi.output(sources));
  return pulumi.output(secret).apply((is) => (is ? pulumi.secret("") : undefined)) as pulumi.Output<string | undefined>;
}

/**
 * The names of the secret inputs, which `check` keeps out of the state. Undefined if no input is secret. Workaround: a
 * dynamic provider gets the values in clear.
 */
export function secretNames(inputs: object): pulumi.Output<string[] | undefined> | undefined {
  // Plain values can't be secret. Waiting for each of them takes time in a program of a thousand resources.
  const candidates = Object.entries(inputs).filter(([, value]) => typeof value === "object" && value !== null);
  if (candidates.length === 0) return undefined;
  const checked = candidates.map(async ([name, value]) => ((await pulumi.isSecret(pulumi.output(value))) ? name : ""));
  return pulumi.output(
    Promise.all(checked).then((names) => {
      const secret = names.filter((name) => name !== "");
      return secret.length > 0 ? secret : undefined;
    }),
  );
}
