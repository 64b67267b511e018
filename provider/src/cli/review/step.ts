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
  detailedDiff: z.record(z.string(), z.unknown()).nullish(),
});

export interface Step extends z.infer<typeof step> {
  /** What a killed update of a set left: a voice, the name of a voice that may still appear, or something unknown. */
  leftBehind?: "voice" | "name" | "unknown";
  /** The existing voice that an entry of a set gets at no cost, although no entry of the state has the voice. */
  recovered?: string | undefined;
  /** The voice that an entry keeps when its set is replaced, if the account has the voice and no other stack holds it. */
  keeps?: string | undefined;
  /** The former name of a voice in a set, if the update renames its entry. */
  renamedFrom?: string | undefined;
}
