import pLimit from "p-limit";
import { entryName, dynamicUrn, resourceLabel } from "../../../rules/resource-types";
import { entryUrn } from "../../../rules/voice-set";
import type { Resource } from "../lifecycle";

/** The set that a call of the engine concerns. */
export interface SetResource extends Resource {
  identity: NonNullable<Resource["identity"]> & { savedUrn: string };
  /** The secret fields of an entry, given in the entry or in the defaults. */
  secretsOf: (key: string) => ReadonlySet<string>;
  /** The paths in `ignoreChanges`. Empty in `check`, to which the engine does not pass them. */
  ignored: readonly string[];
}

/** The entry, described as the `CloudVoice` that it would be outside of the set. */
export function entryOf(
  { name, identity, options, secretsOf }: SetResource,
  key: string,
  { deletesFirst = false, keepsRecording = false } = {},
): Resource {
  const savedUrn = entryUrn(identity.savedUrn, key);
  const urn = dynamicUrn(savedUrn);
  return {
    name: entryName(name, key),
    label: resourceLabel(urn),
    identity: { ...identity, urn, savedUrn },
    secrets: secretsOf(key),
    options: { ...options, deleteBeforeReplace: deletesFirst, keepsRecording, isEntry: true },
  };
}

/** Higher than the limit of concurrent requests: entries that wait for a file do not delay the requests of others. */
const workedOn = 64;

/** If some items fail, rejects with the first error after all items have ended. */
export async function inParallel<T, Made>(items: readonly T[], work: (item: T) => Promise<Made>): Promise<Made[]> {
  const limit = pLimit(workedOn);
  const ended = await Promise.allSettled(items.map((item) => limit(work, item)));
  return ended.map((each) => {
    if (each.status === "rejected") throw each.reason;
    return each.value;
  });
}
