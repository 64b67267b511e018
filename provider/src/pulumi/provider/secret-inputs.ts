import stableStringify from "safe-stable-stringify";
import type { CheckFailure, InputProblem } from "../../rules/inputs";
import type { Props } from "./lifecycle";

/**
 * Which inputs are secret. The engine hands them to a dynamic provider in clear and without a mark, so the program
 * passes their names to `check` (program/secret-names.ts). They are kept here and not in the state: the engine calls
 * `check` before every create and update of the same operation.
 */
export class SecretInputs {
  private readonly names = new Map<string, ReadonlySet<string>>();

  /** `check` accepted these inputs. `passed` is what the program passed; older programs pass nothing. */
  declare(inputs: Props, passed: unknown): ReadonlySet<string> {
    const names = new Set(Array.isArray(passed) ? passed.map(String) : []);
    if (names.size > 0) this.names.set(stableStringify(inputs), names);
    return names;
  }

  /** The names of the secret inputs among these. */
  of(inputs: Props): ReadonlySet<string> {
    return this.names.get(stableStringify(inputs)) ?? none;
  }
}

const none: ReadonlySet<string> = new Set();

/**
 * The problem as the engine takes it, without the values of secret inputs. The engine prints the value of the property
 * that a failure names, so a secret input is named in the reason only.
 */
export function failureWithoutSecrets(
  failure: CheckFailure,
  input: InputProblem["input"],
  secrets: ReadonlySet<string>,
): CheckFailure {
  if (!secrets.has(input)) return failure;
  return { property: "", reason: `${input} is invalid; the reason is not shown, because the input is secret` };
}
