import * as pulumi from "@pulumi/pulumi";
import * as runtimeConfig from "@pulumi/pulumi/runtime/config";
import * as runtimeState from "@pulumi/pulumi/runtime/state";
import { once } from "../../once";
import { isRecord } from "../../rules/is-record";

/*
 * Workaround: all of this file is for the SDK that a program runs on, or uses what its types do not show:
 * @pulumi/pulumi 3.216 to 3.248. test/pulumi/sdk.test.ts fails when the SDK changes one of these behaviours.
 */

// Both are exported by the SDK's modules and missing in their types.
export const { isConfigSecret } = runtimeConfig as unknown as { isConfigSecret: (key: string) => boolean };
const { getStore } = runtimeState as unknown as {
  getStore: () => { settings: { options: { engineAddr?: string | undefined } } };
};

/**
 * Like {@link once}, but once per Pulumi program. With the Automation API one Node.js process runs several inline
 * programs, each with its own settings. The SDK keeps one store object per program.
 */
export function oncePerProgram<T>(make: () => T): () => T {
  const perProgram = new WeakMap<object, () => T>();
  return () => {
    const program = getStore();
    let get = perProgram.get(program);
    if (!get) perProgram.set(program, (get = once(make)));
    return get();
  };
}

/**
 * Empties stack traces until the returned function is called. The SDK (since 3.208) writes the whole call stack of each
 * resource's constructor into the state: about a kilobyte per voice, which the engine writes again at every step. It
 * also makes one for each registered output, which takes 0.3 ms with source maps. The SDK reads `new Error().stack`.
 * The stack of an error that is thrown meanwhile is formatted only when it is read, so it is complete.
 */
export function emptyStackTraces(): () => void {
  const errors: { prepareStackTrace?: unknown } = Error;
  const before = errors.prepareStackTrace;
  errors.prepareStackTrace = String;
  return () => {
    errors.prepareStackTrace = before;
  };
}

/**
 * The URN that a resource will have. A promise and not an output: under a component, an input that is an output made
 * from `createUrn` waits for its parent, which waits for its children, and the program never ends.
 */
export function urnOf(type: string, name: string, parent: pulumi.Resource | undefined): Promise<string> {
  return new Promise((resolve) => {
    pulumi.createUrn(name, type, parent).apply((urn) => resolve(urn));
  });
}

/** The address of this program's engine. Undefined with mocks. */
export function engineOfProgram(): string | undefined {
  return getStore().settings.options.engineAddr || undefined;
}

/** Unless a test with mocks names an organization, the SDK throws. */
export function organization(): string {
  try {
    return pulumi.getOrganization();
  } catch {
    return "organization";
  }
}

/**
 * Throws if a value has the key `__proto__`. The SDK (@pulumi/pulumi 3.216 to 3.248) drops it from inputs without a
 * word, because it copies them by assignment, and the rest would be paid for. Values inside outputs are not seen here.
 */
export function assertNoProtoKeys(name: string, inputs: object): void {
  for (const [input, value] of Object.entries(inputs)) {
    if (contains(value, (each) => isRecord(each) && Object.hasOwn(each, "__proto__"))) {
      const reason = `${name}: ${input} has the key "__proto__", which Pulumi drops from inputs; use another key`;
      throw new pulumi.RunError(reason);
    }
  }
}

/**
 * Applies `make` to an output, also in a preview that knows only a part of its value. The SDK does this for the fields
 * of an output, by a parameter of `apply` that its types do not have.
 */
export function fromPart<T, Made>(output: pulumi.Output<T>, make: (value: T) => Made): pulumi.Output<Made> {
  const { apply } = output as unknown as {
    apply: (make: (value: T) => Made, withUnknown: true) => pulumi.Output<Made>;
  };
  return apply.call(output, make, true);
}

export function hasOutput(value: unknown): boolean {
  return contains(value, isLater);
}

function isLater(value: unknown): boolean {
  return pulumi.Output.isInstance(value) || value instanceof Promise;
}

function contains(value: unknown, isSuch: (value: unknown) => boolean): boolean {
  // A resource that is passed by mistake has circles in it.
  if (pulumi.Resource.isInstance(value) || pulumi.asset.Asset.isInstance(value)) return false;
  if (isSuch(value)) return true;
  if (isLater(value) || !(Array.isArray(value) || isRecord(value))) return false;
  return Object.values(value).some((each) => contains(each, isSuch));
}

/**
 * An object as an output. The SDK (@pulumi/pulumi 3.216 to 3.248, `transferProperties`) writes every other input as
 * text, and the program hangs and fails if the object has a key `toString`.
 */
export function asOutput(value: unknown): unknown {
  return typeof value === "object" && value !== null ? pulumi.output(value) : value;
}

export function packageOf(provider: pulumi.ProviderResource): string {
  return (provider as unknown as { getPackage(): string }).getPackage();
}

export function isProtected(parent: pulumi.Resource | undefined): boolean | undefined {
  return (parent as { __protect?: boolean } | undefined)?.__protect;
}

/** The resources of a component that this program makes. Of one that a plugin makes, the SDK waits by itself. */
export function childrenOf(resource: pulumi.Resource): pulumi.Resource[] {
  return [...((resource as { __childResources?: Iterable<pulumi.Resource> }).__childResources ?? [])];
}
