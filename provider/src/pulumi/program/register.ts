import { createRequire } from "node:module";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { packageName, providerText } from "../shared/provider-text";
import { type ProvidedResource, resourceTypes } from "../shared/resource-types";
import { identityOf } from "./identity";
import { emptyStackTraces, oncePerProgram } from "./sdk";
import { secretNames } from "./secret-names";
import { assertKeyIsSecret } from "./settings";

export interface Registration {
  resource: ProvidedResource;
  name: string;
  opts: pulumi.CustomResourceOptions | undefined;
  /** The properties of the class that are outputs only. The engine resolves those that are registered. */
  outputs: readonly string[];
  inputs: Record<string, unknown>;
  /** The arguments as the program gave them, which show which inputs are secret. */
  args: object;
  /** What to do instead of `import`. */
  insteadOfImport: (id: unknown) => string;
}

/** The part that the constructors of all resources share. Call `end` after `super`, whether it throws or not. */
export function beginRegistration({ resource, name, opts, outputs, inputs, args, insteadOfImport }: Registration): {
  props: Record<string, unknown>;
  end: () => void;
} {
  assertKeyIsSecret();
  assertResolvable();
  if (opts?.import !== undefined) {
    // The engine can't import a dynamic resource, and its own error is less clear.
    const instead = insteadOfImport(opts.import);
    throw new pulumi.RunError(`${name}: import does not work for a dynamic resource; ${instead}`);
  }
  const props = {
    ...Object.fromEntries(outputs.map((output) => [output, undefined])),
    ...inputs,
    secretInputs: secretNames(args),
    identity: identityOf(resourceTypes[resource], name, opts),
    __provider: providerText(resource),
  };
  return { props, end: emptyStackTraces() };
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

/** Whether a value is a resource of this type, whichever copy of this package created it. */
export function hasType(value: unknown, type: string): boolean {
  return pulumi.CustomResource.isInstance(value) && (value as { __pulumiType?: string }).__pulumiType === type;
}
