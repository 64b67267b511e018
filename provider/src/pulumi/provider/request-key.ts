import type { Resource } from "./lifecycle";
import type { Operation } from "./operation";

/**
 * The key of the note about a billed request of this resource. `content`: everything that the request is made from. The
 * request of a resource with this label in another backend or organization has another key.
 */
export async function requestKey(
  { journal, states, namingIdentity }: Pick<Operation, "journal" | "states" | "namingIdentity">,
  kind: "image" | "decision",
  fingerprint: string,
  { label, identity }: Pick<Resource, "label" | "identity">,
  content: unknown[],
): Promise<string> {
  // Another organization may have a stack of this name, and so a resource with this label.
  const parts = [kind, fingerprint, namingIdentity(identity)?.namespace ?? "", label, ...content];
  const backend = (await states.backend()) ?? "unknown";
  // Use only facts that every run has. If one run finds out a name and the next does not, the next run would not find
  // the note.
  const { organization } = identity ?? {};
  return journal.keyOf(...parts, backend, ...(organization === undefined ? [] : [organization]));
}
