import * as pulumi from "@pulumi/pulumi";

/**
 * Marks an output as secret when one of the inputs that the service derives it from is secret. Workaround: the mark is
 * an input with the name of the output, because the engine makes an output secret if the input of the same name is
 * secret. Undefined when no source is secret.
 */
export function secretMark(...sources: unknown[]): pulumi.Output<string | undefined> {
  const secret = pulumi.isSecret(pulumi.output(sources));
  return pulumi.output(secret).apply((is) => (is ? pulumi.secret("") : undefined)) as pulumi.Output<string | undefined>;
}

/**
 * The names of the inputs that are secret. Workaround: a dynamic provider gets their values in clear. Undefined when
 * none is. `check` keeps them out of the state.
 */
export function secretNames(inputs: object): pulumi.Output<string[] | undefined> | undefined {
  // Most inputs are plain values, which can't be secret. A thousand resources must not wait for each of them.
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
