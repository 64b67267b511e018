import type { Resource } from "./lifecycle";
import type { Operation } from "./operation";

/**
 * The journal key of a billed request of this resource. `content`: everything that the request is made from. Another
 * backend or organization gives another key.
 */
export async function requestKey(
  { journal, states, namingIdentity }: Pick<Operation, "journal" | "states" | "namingIdentity">,
  kind: "image" | "decision",
  fingerprint: string,
  { label, identity }: Pick<Resource, "label" | "identity">,
  content: unknown[],
): Promise<string> {
  // Another organization may have a stack, and so a label, of the same name.
  const parts = [kind, fingerprint, namingIdentity(identity)?.namespace ?? "", label, ...content];
  const backend = (await states.backend()) ?? "unknown";
  // Only facts that every run has: otherwise a run that misses one would not find the note.
  const { organization } = identity ?? {};
  return journal.keyOf(...parts, backend, ...(organization === undefined ? [] : [organization]));
}
