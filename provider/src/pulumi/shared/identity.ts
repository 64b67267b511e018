import { createHash } from "node:crypto";
import type { Identity } from "../../rules/naming";

/** What the program passes to `check` about a resource, beside its inputs. `check` keeps it out of the state. */
export interface ResourceIdentity extends Identity {
  /** The organization of the stack. The namespace may be another, and a plugin is told neither. */
  organization?: string;
  /** Whether the old voice is deleted before the new one is created, which the quota depends on. */
  deleteBeforeReplace?: boolean;
  /** Whether the engine refuses to delete, and so to replace, the resource. */
  protect?: boolean;
  /** Whether the program marks the paths of recordings (declared-path.ts). */
  marksPaths?: boolean;
}

/**
 * The name of a resource with a hash that distinguishes all resources of a stack: their names may be equal under
 * different parents. `urn` is that of the dynamic provider, so that a resource that moves between the kinds keeps it.
 */
export function resourceLabel(name: string, urn: string): string {
  return `${name}-${createHash("sha256").update(urn).digest("hex").slice(0, 16)}`;
}
