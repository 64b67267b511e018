import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { InputError } from "../errors";
import { isRecord, secretSignature, signature, splitUnknown, unknownValue } from "../rules/values";
import type { Props } from "../lifecycle/lifecycle";

/*
 * The engine's encoding of values: a secret is an object with a signature, and an unknown value is one of the texts
 * `unknownValues` (sdk/go/common/resource/plugin/rpc.go). Workaround: the SDK for Node.js exports only the first of
 * these texts.
 */

const outputSignature = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
const unknownValues = new Set([
  unknownValue,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** The properties without the engine's marks, and the names of those that are or contain a secret. */
export function decode(struct: Struct | undefined): { props: Props; secrets: ReadonlySet<string> } {
  const secrets = new Set<string>();
  const props: Props = {};
  for (const [name, value] of Object.entries((struct?.toJavaScript() ?? {}) as Props))
    props[name] = plain(value, () => secrets.add(name));
  return { props, secrets };
}

function plain(value: unknown, onSecret: () => void): unknown {
  if (isUnknown(value)) return unknownValue;
  if (Array.isArray(value)) return value.map((each) => plain(each, onSecret));
  if (!isRecord(value)) return value;
  if (value[signature] === secretSignature || (value.secret === true && value[signature] === outputSignature))
    onSecret();
  if (value[signature] === secretSignature) return plain(value.value, onSecret);
  if (value[signature] === outputSignature) return "value" in value ? plain(value.value, onSecret) : unknownValue;
  if (signature in value)
    throw new InputError(
      "an asset, an archive or a resource is given where a value is expected: give the path or URL of a file as a text",
    );
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each, onSecret)]));
}

/**
 * Throws if a value is unknown. The engine does not send unknown values to calls that are billed, but another process
 * that calls the plugin's port can.
 */
export function assertKnown(what: string, props: Props): void {
  const { unknown } = splitUnknown(props);
  if (unknown.size > 0) throw new InputError(`${what}: these values are not known yet: ${[...unknown].join(", ")}`);
}

function isUnknown(value: unknown): boolean {
  return typeof value === "string" && unknownValues.has(value);
}

/** Encodes properties for the engine. Leaves out properties that are `undefined`. */
export function encode(props: object, secrets: ReadonlySet<string> = new Set()): Struct {
  const entries = Object.entries(JSON.parse(JSON.stringify(props)) as Props);
  const marked = entries.map(([name, value]) => [
    name,
    secrets.has(name) ? { [signature]: secretSignature, value } : value,
  ]);
  return structOf(Object.fromEntries(marked) as Props);
}

export function structOf(values: object): Struct {
  return Struct.fromJavaScript(values as Parameters<typeof Struct.fromJavaScript>[0]);
}

export interface ComponentInput {
  value: unknown;
  secret: boolean;
  dependencies: readonly string[];
}

/** Removes the engine's marks from a value. Returns them, and those of enclosing values, beside the value. */
export function withoutMarks(
  value: unknown,
  { secret, dependencies } = { secret: false, dependencies: [] as readonly string[] },
): ComponentInput {
  if (isRecord(value) && value[signature] === secretSignature)
    return withoutMarks(value.value, { secret: true, dependencies });
  if (!isRecord(value) || value[signature] !== outputSignature)
    return { value: isUnknown(value) ? unknownValue : value, secret, dependencies };
  return withoutMarks("value" in value ? value.value : unknownValue, {
    secret: secret || value.secret === true,
    dependencies: [...dependencies, ...((value.dependencies ?? []) as string[])],
  });
}

/** The fields of an object. Undefined for any other value, and for an unknown value. */
export function fieldsOf(object: ComponentInput): Record<string, ComponentInput> | undefined {
  const { value, ...marks } = object;
  if (!isRecord(value)) return undefined;
  const fields = Object.entries(value).map(([name, each]) => [name, withoutMarks(each, marks)] as const);
  return Object.fromEntries(fields.filter(([, field]) => field.value !== null));
}

/** Like {@link decode}, for the fields of an object in a component's inputs. */
export function decodeFields(fields: Record<string, ComponentInput>): ReturnType<typeof decode> {
  const secrets = new Set<string>();
  const props = Object.entries(fields).map(([name, { value, secret }]) => {
    if (secret) secrets.add(name);
    return [name, plain(value, () => secrets.add(name))];
  });
  return { props: Object.fromEntries(props) as Props, secrets };
}

/**
 * Returns the value with the engine's marks, for a registration, and the URNs of the resources that the value depends
 * on.
 */
export function withMarks(input: ComponentInput): { value: unknown; dependencies: string[] } {
  const dependencies = new Set<string>();
  const marked = ({ value, secret, dependencies: urns }: ComponentInput): unknown => {
    for (const urn of urns) dependencies.add(urn);
    const part = (each: unknown) => marked(withoutMarks(each));
    const plain = Array.isArray(value)
      ? value.map(part)
      : isRecord(value)
        ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, part(each)]))
        : value;
    return secret ? { [signature]: secretSignature, value: plain } : plain;
  };
  return { value: marked(input), dependencies: [...dependencies] };
}
