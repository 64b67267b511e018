import * as pulumi from "@pulumi/pulumi";
import * as runtimeConfig from "@pulumi/pulumi/runtime/config";
import * as runtimeState from "@pulumi/pulumi/runtime/state";
import { attempt } from "../../attempt";
import { once } from "../../once";
import { isRecord } from "../../rules/is-record";

/*
 * Workaround: this whole file is about @pulumi/pulumi 3.216 to 3.248, the SDK that a program runs on: its defects, and
 * what its types do not show. test/pulumi/sdk.test.ts fails when the SDK changes one of these behaviours.
 */

// Exported by the SDK's modules, and missing in their types.
export const { isConfigSecret } = runtimeConfig as unknown as { isConfigSecret: (key: string) => boolean };
const { getStore } = runtimeState as unknown as {
  getStore: () => { settings: { options: { engineAddr?: string | undefined } } };
};

/**
 * Like {@link once}, but for each Pulumi program: the Automation API runs several inline programs, with their own
 * settings, in one process. The SDK keeps one store object per program.
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
 * Empties stack traces until the returned function is called. The SDK (since 3.208) reads `new Error().stack` and
 * writes the call stack of each constructor into the state: a kilobyte per voice, which the engine writes again at
 * every step. The SDK also makes a stack trace for each registered output, which takes 0.3 ms with source maps. An
 * error that is thrown meanwhile still gets its stack, because a stack is formatted when it is read.
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
 * The URN that a resource will have, as a promise. An output made from `createUrn` would wait for the parent, and the
 * parent waits for its children. So a program with this output as an input of a child would never end.
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

/** The stack's organization. With mocks that name none, the SDK throws. */
export function organization(): string {
  return attempt(() => pulumi.getOrganization()) ?? "organization";
}

/**
 * Throws if a value has the key `__proto__`, which the SDK drops from inputs without an error (it copies them by
 * assignment): the rest would be paid for. Does not look inside outputs.
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
 * Like `apply`, but also runs in a preview that knows only a part of the value. The SDK uses this parameter of `apply`
 * for an output's fields, and its types do not have it.
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
  // Do not look inside resources, which contain cycles.
  if (pulumi.Resource.isInstance(value) || pulumi.asset.Asset.isInstance(value)) return false;
  if (isSuch(value)) return true;
  if (isLater(value) || !(Array.isArray(value) || isRecord(value))) return false;
  return Object.values(value).some((each) => contains(each, isSuch));
}

/**
 * Returns an object as an output. For a plain object with a key `toString` the SDK (`transferProperties`) hangs and
 * fails, because it writes inputs as text.
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

/** The children that this program makes in a component. The SDK itself waits for those that a plugin makes. */
export function childrenOf(resource: pulumi.Resource): pulumi.Resource[] {
  return [...((resource as { __childResources?: Iterable<pulumi.Resource> }).__childResources ?? [])];
}
