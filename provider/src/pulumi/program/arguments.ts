import * as pulumi from "@pulumi/pulumi";
import { unknownNameReason } from "../../rules/nearest-name";
import type { ResourceDefinition } from "./definitions";
import { asOutput, assertNoProtoKeys } from "./sdk";

export interface Registration {
  type: string;
  props: Record<string, unknown>;
  options: pulumi.CustomResourceOptions;
}

/**
 * The properties for the registration of a resource. Workaround: the SDK resolves only outputs that are registered.
 * `pathOf` gives a recording's path in its registered form. Arguments named in `taken` are refused.
 */
export function propertiesOf(
  { names, madeInputs }: ResourceDefinition,
  name: string,
  args: Record<string, unknown>,
  opts: pulumi.CustomResourceOptions,
  pathOf = (path: string) => path,
  taken: readonly string[] = [],
): { passed: Record<string, unknown>; props: Record<string, unknown> } {
  const passed = Object.fromEntries(names.inputs.map((input) => [input, args[input]]));
  assertNoProtoKeys(name, passed);
  const inputs = {
    ...Object.fromEntries(Object.entries(passed).map(([input, value]) => [input, asOutput(value)])),
    ...madeInputs?.(passed, opts, pathOf),
  };
  const props = {
    ...Object.fromEntries(names.outputs.map((output) => [output, undefined])),
    ...unknownInputs(name, names, args, [...Object.keys(inputs), ...taken]),
    ...inputs,
  };
  return { passed, props };
}

/**
 * Arguments that are no inputs, e.g. misspelt ones in a JavaScript program. They are registered as `true`, so that
 * `check` refuses them together with other problems. Their values are not passed on: they may be secret, or nothing
 * that can be sent.
 */
function unknownInputs(
  name: string,
  { className, inputs }: ResourceDefinition["names"],
  args: Record<string, unknown>,
  taken: readonly string[],
): Record<string, unknown> {
  const unknown = Object.keys(args).filter((each) => !inputs.includes(each) && args[each] !== undefined);
  const hidden = unknown.find((each) => taken.includes(each) || each.startsWith("__"));
  if (hidden !== undefined) {
    const reason = unknownNameReason(hidden, inputs, `an input of ${className}`);
    throw new pulumi.RunError(`${name}: \`${hidden}\` ${reason}`);
  }
  return Object.fromEntries(unknown.map((each) => [each, true]));
}
