import { createRequire } from "node:module";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { unknownNameReason } from "../../rules/nearest-name";
import { packageName, providerText } from "../shared/provider-text";
import { resourceTypes } from "../shared/resource-types";
import type { ResourceDefinition } from "./definitions";
import { identityOf } from "./identity";
import { asOutput, assertNoProtoKeys, emptyStackTraces, oncePerProgram } from "./sdk";
import { secretMark } from "./secret-mark";
import { secretNames } from "./secret-names";
import { assertKeyIsSecret, assertSettingsAreKnown } from "./settings";

/** What the constructor of a resource passes to the SDK. */
export interface Registration {
  type: string;
  props: Record<string, unknown>;
  /** To be called after the registration, whether it throws or not. */
  end: () => void;
}

/** Registers a resource with the dynamic provider. */
export function registerDynamic(
  definition: ResourceDefinition,
  name: string,
  args: Record<string, unknown>,
  opts: pulumi.CustomResourceOptions = {},
): Registration {
  const { resource, names, madeInputs, insteadOfImport } = definition;
  assertSettingsAreKnown();
  assertKeyIsSecret();
  assertResolvable();
  if (opts.import !== undefined) {
    // The engine can't import a dynamic resource, and its own error is less clear.
    const instead = insteadOfImport(opts.import);
    throw new pulumi.RunError(`${name}: import does not work for a dynamic resource; ${instead}`);
  }
  const given = Object.fromEntries(names.inputs.map((input) => [input, args[input]]));
  assertNoProtoKeys(name, given);
  const type = resourceTypes[resource];
  const { derived } = names;
  const isDerivedSecret =
    derived.names.length > 0 ? secretMark(...derived.from.map((input) => given[input])) : undefined;
  const inputs = {
    ...Object.fromEntries(Object.entries(given).map(([input, value]) => [input, asOutput(value)])),
    ...madeInputs?.(given, opts),
    ...Object.fromEntries(derived.names.map((output) => [output, isDerivedSecret])),
    secretInputs: secretNames(given),
    identity: identityOf(type, name, opts),
    __provider: providerText(resource),
  };
  const props = {
    // The engine resolves those outputs that are registered.
    ...Object.fromEntries(names.outputs.map((output) => [output, undefined])),
    // The label stands in the state (provider/dynamic-resources.ts).
    ...unknownInputs(name, names, args, [...Object.keys(inputs), "label"]),
    ...inputs,
  };
  return { type, props, end: emptyStackTraces() };
}

/**
 * Arguments that are no inputs: a JavaScript program can misspell one. `check` refuses them by their names, together
 * with what else is wrong. Their values are not passed on: they may be secret, or nothing that can be sent.
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

/** The engine evaluates the provider text in the program's folder, from where this package must be found. */
const assertResolvable = oncePerProgram(() => {
  // With mocks there is no engine, and no provider process that could fail.
  if (!pulumi.runtime.hasEngine()) return;
  const folder = process.cwd();
  try {
    createRequire(join(folder, "program.js")).resolve(`${packageName}/provider`);
  } catch {
    throw new pulumi.RunError(
      `${packageName} can't be found from the program's folder, ${folder}, where the engine looks for it. ` +
        `Make it a dependency of the program too: npm install ${packageName} (or pnpm add, yarn add) in that folder.`,
    );
  }
});
