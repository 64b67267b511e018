import * as z from "zod";

/** The meaning of an output, besides its type. Types of states, classes, schemas and docs are derived from it. */
export interface OutputMeaning {
  /** Full sentences in Markdown. */
  description: string;
  /** The inputs from which the service makes this output. The output is secret if one of them is. */
  derivedFrom?: readonly string[];
  /** Whether the output is only in the state, and hidden from programs. */
  internal?: boolean;
  /** The TypeScript type of the value, where it is narrower than the schema shows. */
  type?: string;
}

export type OutputsSchema = z.ZodObject;

/** A named type inside outputs, for the SDKs of the plugin. */
export interface NamedType {
  name: string;
  /** The name in TypeScript, if it differs. */
  programName?: string;
  description: string;
}

const meanings = z.registry<OutputMeaning>();
export const namedTypes = z.registry<NamedType>();

export function output<Schema extends z.ZodType>(schema: Schema, meaning: OutputMeaning | string): Schema {
  meanings.add(schema, typeof meaning === "string" ? { description: meaning } : meaning);
  return schema;
}

export const optionalText = (meaning: OutputMeaning | string) => output(z.string().optional(), meaning);

export function namedType<Shape extends z.ZodRawShape>(type: NamedType, shape: Shape): z.ZodObject<Shape> {
  const schema = z.object(shape);
  namedTypes.add(schema, type);
  return schema;
}

export function outputsIn(schema: OutputsSchema): { name: string; schema: z.ZodType; meaning: OutputMeaning }[] {
  return Object.entries(schema.shape).map(([name, field]) => {
    const meaning = meanings.get(field as z.ZodType);
    if (meaning === undefined) throw new Error(`The output ${name} is declared without a meaning.`);
    return { name, schema: field as z.ZodType, meaning };
  });
}
