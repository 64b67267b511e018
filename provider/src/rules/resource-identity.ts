import { attempt } from "../attempt";
import { isRecord } from "./is-record";

/**
 * Facts about a resource that a program in TypeScript, or a catalog, passes to `check` beside the inputs. `check` does
 * not save them in the state. Workaround: the engine does not pass these facts to a provider.
 */
export interface ToldIdentity {
  /** The organization of the stack. Generated names depend on it, unless the setting `namespace` is set. */
  organization?: string;
  /** Whether the old voice is deleted before the new one is created. The quota check needs this fact. */
  deleteBeforeReplace?: boolean;
  /** The labels of the gates that the resource waits for, except gates of other providers. */
  gates?: string[];
}

/** The identity as one text for the plugin, because the engine logs and copies each field of an object separately. */
export const identityText = (told: ToldIdentity): string => JSON.stringify(told);

export function identityIn(text: unknown): ToldIdentity | undefined {
  const told = attempt((): unknown => JSON.parse(String(text)));
  return isRecord(told) ? told : undefined;
}

/** The identity for a dynamic provider, to which the engine does not pass the URN either. */
export interface ResourceIdentity extends ToldIdentity {
  urn: string;
  /** Whether the program marks the paths of recordings (provider-text.ts). */
  marksPaths?: boolean;
}
