import * as z from "zod";
import { savedResource } from "../../stacks/state";

const state = savedResource.partial({ urn: true, delete: true, external: true, retainOnDelete: true }).extend({
  initErrors: z.array(z.string()).nullish(),
  parent: z.string().nullish(),
  dependencies: z.array(z.string()).nullish(),
  /** By input: the URNs of the resources whose outputs the input contains. */
  propertyDependencies: z.record(z.string(), z.array(z.string()).nullish()).nullish(),
});
/** A resource as a preview describes it. */
export type Described = z.infer<typeof state>;

/** A step of a preview. */
export const step = z.object({
  op: z.string(),
  urn: z.string(),
  oldState: state.nullish(),
  newState: state.nullish(),
  replaceReasons: z.array(z.string()).nullish(),
});

export type Step = z.infer<typeof step>;
