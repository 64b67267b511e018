import type { CheckFailure, InputProblem } from "../../rules/inputs";
import type { Resource } from "./lifecycle";

/**
 * The failure without the value of a secret input. The engine prints the value of the property that a failure names, so
 * a secret input is named in the reason only.
 */
export function failureWithoutSecrets(
  failure: CheckFailure,
  input: InputProblem["input"],
  { secrets }: Pick<Resource, "secrets">,
): CheckFailure {
  if (secrets?.has(input) !== true) return failure;
  return { property: "", reason: `${input} is invalid; the reason is not shown, because the input is secret` };
}
