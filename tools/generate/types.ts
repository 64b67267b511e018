import { z } from "zod";
import type { InputMeaning } from "../../provider/src/rules/inputs";
import { namedTypes, type OutputMeaning } from "../../provider/src/rules/outputs";

/** The schema of the value without `optional`. */
export function unwrapped(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
}

export function isOptional(schema: z.ZodType): boolean {
  return schema.safeParse(undefined).success;
}

/** The TypeScript type of a value, as an output and in the state. */
export function valueType(schema: z.ZodType, { type }: Pick<InputMeaning | OutputMeaning, "type">): string {
  return type ?? plainType(unwrapped(schema));
}

/** The TypeScript type of what a program may pass. */
export function passedType(schema: z.ZodType, meaning: InputMeaning): string {
  return meaning.programType ?? valueType(schema, meaning);
}

function plainType(schema: z.ZodType): string {
  const named = namedTypes.get(schema);
  if (named !== undefined) return named.programName ?? named.name;
  if (schema instanceof z.ZodArray) {
    const element = schema.element as z.ZodType;
    return element instanceof z.ZodUnion ? "Trigger[]" : `${plainType(element)}[]`;
  }
  if (schema instanceof z.ZodString) return "string";
  if (schema instanceof z.ZodNumber) return "number";
  if (schema instanceof z.ZodBoolean) return "boolean";
  throw new Error(`The type of a value needs a name in its meaning: ${schema.type}.`);
}

/** The type in the format of Pulumi's package schemas. */
export function pluginType(schema: z.ZodType): Record<string, unknown> {
  const value = unwrapped(schema);
  const named = namedTypes.get(value);
  if (named !== undefined) return { $ref: `#/types/${pluginTypeName(named.name)}` };
  if (value instanceof z.ZodArray) return { type: "array", items: pluginType(value.element as z.ZodType) };
  if (value instanceof z.ZodRecord)
    return { type: "object", additionalProperties: pluginType(value.valueType as z.ZodType) };
  if (value instanceof z.ZodUnion) return { oneOf: value.options.map((option) => pluginType(option as z.ZodType)) };
  if (value instanceof z.ZodNumber) return { type: value.safeParse(1.5).success ? "number" : "integer" };
  if (value instanceof z.ZodBoolean) return { type: "boolean" };
  if (value instanceof z.ZodString || value instanceof z.ZodEnum) return { type: "string" };
  if (value instanceof z.ZodUnknown) return { $ref: "pulumi.json#/Any" };
  throw new Error(`A type needs a place in the plugin's schema: ${value.type}.`);
}

export function pluginTypeName(name: string): string {
  return `cloudvoice:index:${name}`;
}

/** The named types inside a schema. */
export function namedTypesIn(schema: z.ZodType): z.ZodObject[] {
  const value = unwrapped(schema);
  if (value instanceof z.ZodArray) return namedTypesIn(value.element as z.ZodType);
  if (value instanceof z.ZodRecord) return namedTypesIn(value.valueType as z.ZodType);
  return value instanceof z.ZodObject && namedTypes.get(value) !== undefined ? [value] : [];
}
