import * as z from "zod";

const properties = z.record(z.string(), z.unknown()).default({});
const state = z.object({
  /** In an old state, the URN may have a former name: an alias renames the resource. */
  urn: z.string().optional(),
  type: z.string(),
  id: z.string().optional(),
  delete: z.boolean().default(false),
  retainOnDelete: z.boolean().optional(),
  /** The URN of another resource: when that is deleted, the engine drops this one without a call to the provider. */
  deletedWith: z.string().optional(),
  inputs: properties,
  outputs: properties,
  initErrors: z.array(z.string()).nullish(),
  parent: z.string().nullish(),
  dependencies: z.array(z.string()).nullish(),
  /** By input: the URNs of the resources whose outputs the input contains. */
  propertyDependencies: z.record(z.string(), z.array(z.string()).nullish()).nullish(),
});

/** A step of a preview. */
export const step = z.object({
  op: z.string(),
  urn: z.string(),
  oldState: state.nullish(),
  newState: state.nullish(),
  replaceReasons: z.array(z.string()).nullish(),
});

export type Step = z.infer<typeof step>;
