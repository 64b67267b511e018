import * as pulumi from "@pulumi/pulumi";
import { isRecord } from "../../rules/is-record";

/**
 * Throws if a value has the key `__proto__`. The SDK (@pulumi/pulumi 3.216 to 3.248) drops it from inputs without a
 * word, because it copies them by assignment, and the rest would be paid for. Values inside outputs are not seen here.
 */
export function assertTransportable(name: string, inputs: object): void {
  for (const [input, value] of Object.entries(inputs)) {
    if (hasProtoKey(value)) {
      const reason = `${name}: ${input} has the key "__proto__", which Pulumi drops from inputs; use another key`;
      throw new pulumi.RunError(reason);
    }
  }
}

function hasProtoKey(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasProtoKey);
  if (!isRecord(value) || pulumi.Output.isInstance(value) || value instanceof Promise) return false;
  return Object.hasOwn(value, "__proto__") || Object.values(value).some(hasProtoKey);
}

/**
 * An object as an output. The SDK (@pulumi/pulumi 3.216 to 3.248, `transferProperties`) writes every other input as
 * text, and the program hangs and fails if the object has a key `toString`.
 */
export function asOutput(value: unknown): unknown {
  return typeof value === "object" && value !== null ? pulumi.output(value) : value;
}
