import { createRequire } from "node:module";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { markPath, packageName, providerText } from "../dynamic/provider-text";
import { nativeTypes, resourceTypes } from "../rules/resource-types";
import { propertiesOf, type Registration, type ResourceDefinition } from "./definitions";
import { identityOf } from "./identity";
import { oncePerProgram } from "./sdk";
import { assertKeyIsSecret, assertSettingsAreKnown } from "./settings";

/*
 * Registers resources with the dynamic provider. In the entry point `pulumi-cloudvoice/native`, the build puts
 * register-native.ts in the place of this module.
 */

export const types = resourceTypes;

/** The plugin that serves the resources. Undefined for the dynamic provider. */
export const plugin: { version: string } | undefined = undefined;

/** Mocks do not call `check`, which removes the mark. */
const markedPath = (path: string) => (pulumi.runtime.hasEngine() ? markPath(path) : path);

const addedProperties = ["secretInputs", "identity", "__provider", "label", "stack"];

export function register(
  definition: ResourceDefinition,
  name: string,
  args: Record<string, unknown>,
  opts: pulumi.CustomResourceOptions = {},
): Registration {
  const { resource, names, insteadOfImport } = definition;
  assertSettingsAreKnown();
  assertKeyIsSecret();
  assertResolvable();
  // Workaround: the engine can't import or read a dynamic resource, and the engine's own errors are less clear.
  if (opts.import !== undefined) {
    const instead = insteadOfImport(opts.import);
    throw new pulumi.RunError(`${name}: import does not work for a dynamic resource; ${instead}`);
  }
  if (opts.id !== undefined)
    throw new pulumi.RunError(
      `${name}: ${names.className}.get does not work for a dynamic resource; import ${names.className} from "${packageName}/native"`,
    );
  const type = types[resource];
  const { derived } = names;
  const { passed, props } = propertiesOf(definition, name, args, opts, markedPath, addedProperties);
  const isDerivedSecret =
    derived.names.length > 0 ? secretMark(...derived.from.map((input) => passed[input])) : undefined;
  return {
    type,
    props: {
      ...props,
      ...Object.fromEntries(derived.names.map((output) => [output, isDerivedSecret])),
      secretInputs: secretNames(passed),
      identity: identityOf(type, name, opts),
      __provider: providerText(resource),
    },
    // Because of the alias, the engine does not replace a resource that the plugin created.
    options: pulumi.mergeOptions(opts, { aliases: [{ type: nativeTypes[resource] }] }),
  };
}

/**
 * Throws if this package can't be found from the program's folder. Workaround: the engine evaluates the provider text
 * in that folder.
 */
const assertResolvable = oncePerProgram(() => {
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
