import { attempt } from "../../attempt";
import { isRecord } from "../../rules/is-record";

/**
 * Facts about a resource that a program in TypeScript, or a catalog, passes to `check` beside the inputs, and that
 * `check` keeps out of the state. Workaround: the engine passes them neither to a dynamic provider nor to a plugin.
 */
export interface ToldIdentity {
  /** The organization of the stack. Generated names depend on it, unless the setting `namespace` is set. */
  organization?: string;
  /** Whether the old voice is deleted before the new one is created. The quota check needs this fact. */
  deleteBeforeReplace?: boolean;
  /** Whether the engine refuses to delete or replace the resource. */
  protect?: boolean;
  /**
   * With `adopt`: the names of the program's voices and set entries, as JSON. `--target` may omit the resource that
   * holds the voice.
   */
  declared?: string;
  /**
   * The labels of the gates that the resource waits for, without those of other providers. A program with an earlier
   * release passes their names instead.
   */
  gates?: string[];
}

/** The identity as one text for a plugin, because the engine logs and copies each field of an object apart. */
export const identityText = (told: ToldIdentity): string => JSON.stringify(told);

export function identityIn(text: unknown): ToldIdentity | undefined {
  const told = attempt((): unknown => JSON.parse(String(text)));
  return isRecord(told) ? told : undefined;
}

/** The identity for a dynamic provider, which gets no URN from the engine either. */
export interface ResourceIdentity extends ToldIdentity {
  urn: string;
  /** Whether the program marks the paths of recordings (declared-path.ts). */
  marksPaths?: boolean;
}
