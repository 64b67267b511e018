import * as pulumi from "@pulumi/pulumi";

/**
 * Returns the input that marks an output as secret, if one of `sources` is secret: the service derives the output from
 * these inputs. Workaround: the engine makes an output secret if the input of the same name is secret.
 */
export function secretMark(...sources: unknown[]): pulumi.Output<string | undefined> {
  const secret = pulumi.isSecret(pulumi.output(sources));
  return pulumi.output(secret).apply((is) => (is ? pulumi.secret("") : undefined)) as pulumi.Output<string | undefined>;
}

/**
 * The names of the secret inputs. Undefined if no input is secret. Workaround: the engine passes secrets to a dynamic
 * provider in clear and without a mark, so the program passes these names to `check` as the input `secretInputs`.
 * `check` removes that input, so the state does not have it.
 */
export function secretNames(inputs: object): pulumi.Output<string[] | undefined> | undefined {
  // Texts and numbers can't be secret, and waiting for each of a thousand takes time.
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
