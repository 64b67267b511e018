import * as pulumi from "@pulumi/pulumi";
import * as runtimeConfig from "@pulumi/pulumi/runtime/config";
import * as runtimeState from "@pulumi/pulumi/runtime/state";
import { attempt } from "../describe-thrown";
import { oncePer } from "../once";
import { isRecord } from "../rules/values";

/*
 * Workaround: this whole file is about the SDK that a program uses, @pulumi/pulumi 3.216 to 3.248: its defects, and
 * behaviours that its types do not show. test/pulumi/sdk.test.ts fails when the SDK changes one of these behaviours.
 */

// The SDK's modules export these functions, but the types of the modules lack them.
export const { isConfigSecret } = runtimeConfig as unknown as { isConfigSecret: (key: string) => boolean };
const { getStore, getLocalStore } = runtimeState as unknown as {
  getStore: () => { settings: { options: { engineAddr?: string | undefined } } };
  getLocalStore: () => object | undefined;
};

/**
 * Calls `make` once for each Pulumi program: the Automation API can run several inline programs in one
 * process, and each has its own settings. The SDK has one store object for each program.
 */
export function oncePerProgram<T>(make: () => T): () => T {
  const ofProgram = oncePer<object, T>(make, new WeakMap<object, T>());
  return () => ofProgram(getStore());
}

/**
 * Empties stack traces until the returned function is called. The SDK (since 3.208) reads `new Error().stack` and
 * writes the call stack of each constructor into the state: a kilobyte per voice, which the engine writes again at
 * every step. The SDK also makes a stack trace for each registered output, which takes 0.3 ms with source maps. An
 * error that is thrown before the returned function is called still has its stack afterwards, because Node.js formats a
 * stack when the stack is first read.
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
 * The URN that a resource will have. It is a promise, because the output of `createUrn` waits for the parent, and the
 * parent waits for its children: with that output as an input of a child, the program would never end.
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

/** Whether a program of the Automation API runs in the process of its caller. */
export function isInlineProgram(): boolean {
  return getLocalStore() !== undefined;
}

/** The stack's organization. Returns `organization` if mocks do not set one, because the SDK throws. */
export function organization(): string {
  return attempt(() => pulumi.getOrganization()) ?? "organization";
}

/**
 * Throws if a value is a date, a map, a bigint or similar: of an object, the SDK passes only the fields. A date would
 * arrive as `{}`, and the request without the date would be billed. Does not look inside outputs.
 */
export function assertPlainObjects(name: string, inputs: object): void {
  for (const [input, value] of Object.entries(inputs)) {
    if (contains(value, losesContent)) {
      const reason = `${name}: ${input} contains a date, a map, a bigint or similar, whose content Pulumi drops`;
      throw new pulumi.RunError(`${reason}; use a text, a number or a plain object`);
    }
  }
}

/** Whether the value keeps its content elsewhere than in its fields. */
function losesContent(value: unknown): boolean {
  if (typeof value === "bigint") return true;
  if (isLater(value) || !isRecord(value)) return false;
  return value instanceof Map || value instanceof Set || typeof value.toJSON === "function";
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
 * Returns an object as an output, and any other value unchanged. Workaround: the SDK (`transferProperties`) converts
 * inputs to text, and hangs and fails for a plain object with the key `toString`.
 */
export function asOutput(value: unknown): unknown {
  return typeof value === "object" && value !== null ? pulumi.output(value) : value;
}

export function packageOf(provider: pulumi.ProviderResource): string {
  return (provider as unknown as { getPackage(): string }).getPackage();
}

/** The children that this program creates in a component. The SDK itself waits for children that a plugin creates. */
export function childrenOf(resource: pulumi.Resource): pulumi.Resource[] {
  return [...((resource as { __childResources?: Iterable<pulumi.Resource> }).__childResources ?? [])];
}
