import { isRecord } from "../../rules/is-record";

/**
 * Workaround: the engine passes this neither to a dynamic provider nor to a plugin. So a program in TypeScript, or a
 * catalog, passes it to `check` beside the inputs. `check` keeps it out of the state.
 */
export interface ToldIdentity {
  /** The organization of the stack. Generated names depend on it, unless the setting `namespace` is set. */
  organization?: string;
  /** Whether the old voice is deleted before the new one is created, which the quota depends on. */
  deleteBeforeReplace?: boolean;
  /** Whether the engine refuses to delete, and so to replace, the resource. */
  protect?: boolean;
  /** With `adopt`: the names of all voices and entries of sets of the program, as JSON. `--target` may leave out one that has the voice. */
  declared?: string;
  /**
   * The labels of the gates that the resource waits for, if this provider judges them too. A program with an earlier
   * release of the package passes their names instead.
   */
  gates?: string[];
}

/**
 * The form in which a program passes it to a plugin: one text, because the engine logs and copies each field of an
 * object apart.
 */
export const identityText = (told: ToldIdentity): string => JSON.stringify(told);

export function identityIn(text: unknown): ToldIdentity | undefined {
  try {
    const told: unknown = JSON.parse(String(text));
    return isRecord(told) ? told : undefined;
  } catch {
    return undefined;
  }
}

/** The same for a dynamic provider, which does not get the URN either. */
export interface ResourceIdentity extends ToldIdentity {
  urn: string;
  /** Whether the program marks the paths of recordings (declared-path.ts). */
  marksPaths?: boolean;
}
