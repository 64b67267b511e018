import * as pulumi from "@pulumi/pulumi";
import { isRecord } from "../rules/is-record";
import { unknownNameReason } from "../rules/nearest-name";
import type { ResourceDefinition } from "./definitions";
import { asOutput, assertPlainObjects } from "./sdk";

export interface Registration {
  type: string;
  props: Record<string, unknown>;
  options: pulumi.CustomResourceOptions;
}

/**
 * The properties with which a resource is registered. Workaround: the SDK resolves an output only if a property of its
 * name is registered. `pathOf`: returns the path of a recording in the form that is registered. `taken`: names of
 * arguments that are refused.
 */
export function propertiesOf(
  { names, classInputs }: ResourceDefinition,
  name: string,
  args: Record<string, unknown>,
  opts: pulumi.CustomResourceOptions,
  pathOf = (path: string) => path,
  taken: readonly string[] = [],
): { passed: Record<string, unknown>; props: Record<string, unknown> } {
  // A program in JavaScript may leave the arguments out.
  if (!isRecord(args)) throw new pulumi.RunError(`${name}: the arguments of ${names.className} must be an object`);
  const passed = Object.fromEntries(names.inputs.map((input) => [input, args[input]]));
  assertPlainObjects(name, passed);
  const inputs = {
    ...Object.fromEntries(Object.entries(passed).map(([input, value]) => [input, asOutput(value)])),
    ...classInputs?.(passed, opts, pathOf),
  };
  const props = {
    ...Object.fromEntries(names.outputs.map((output) => [output, undefined])),
    ...unknownInputs(name, names, args, taken),
    ...inputs,
  };
  return { passed, props };
}

/**
 * Arguments that are not inputs, e.g. misspelt inputs in a JavaScript program. They are registered, so that `check`
 * reports them together with other problems, but as `true`: a value may be secret, or the SDK may be unable to send it.
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
