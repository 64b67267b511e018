import { isVoiceSet, nameInUrn, resourceLabel, typeIn } from "../rules/resource-types";
import { type IsName, isNameOf, type NameMaker } from "../rules/own-name";
import type { StoredRights } from "../rules/rights";
import { partsOf, stackIn, stacksLike } from "../stacks/names";

/**
 * A resource in a saved state, and the voice that it names. An old copy of a replaced resource has its voice too, until
 * it is deleted.
 */
export interface VoiceHolder {
  stack: string;
  /** The URN that the resource has, or would have, with the dynamic provider. It identifies the resource. */
  urn: string;
  /** The URN as the state has it. */
  savedUrn: string;
  /** The URN of the provider. Absent if the state does not say. */
  provider?: string | undefined;
  /** The label in the state (shared/identity.ts). A stack that was renamed keeps it until its next update. */
  label?: string | undefined;
  voice: string;
  /** The fingerprint of the account that the state records for the voice. */
  account?: string | undefined;
  /** The preferred name, if the state says that it was generated. It proves nothing: see {@link isNameOfHolder}. */
  generatedName?: string | undefined;
  /** The inputs and outputs in the state, from which its generated name can be made again. */
  madeFrom?: Readonly<Record<string, unknown>> | undefined;
  rights?: StoredRights | undefined;
  /** The path or URL of the recording, and its hash if it is a file. */
  audio?: string | undefined;
  audioSha256?: string | undefined;
  createdAt?: string | undefined;
  /** The engine marked this copy for deletion, because it was replaced. */
  isOld: boolean;
  /** The voice stays in the account when the resource leaves the state (`retainOnDelete`). */
  retained?: boolean | undefined;
  /**
   * The URN in the option `deletedWith`: when that resource is deleted, the engine drops this one without a delete
   * call.
   */
  deletedWith?: string | undefined;
  /** A replacement makes a new voice although the content is the same ({@link isReplacedOnDemand}). */
  isReplacedOnDemand?: boolean | undefined;
}

/**
 * Whether a resource has an option that asks for its replacement, although its content is the same. `entry` is the
 * resource in a state or in a preview.
 */
export function isReplacedOnDemand(entry: {
  replaceWith?: readonly string[] | null | undefined;
  replacementTrigger?: unknown;
}): boolean {
  return (entry.replaceWith ?? []).length > 0 || entry.replacementTrigger !== undefined;
}

/**
 * The process that serves the resource within an operation on its stack. All dynamic resources have one, and each
 * provider of the plugin has its own. Only the plugin serves sets.
 */
export function processOf({ urn = "", savedUrn = urn, provider }: Partial<VoiceHolder> = {}): string {
  return savedUrn === urn && !isVoiceSet(typeIn(urn)) ? "dynamic" : (provider ?? "plugin");
}

/** A provider that the program does not declare: the engine makes it from the stack's configuration. */
export function isDefaultProvider(urn: string): boolean {
  return /::default(_[0-9][^:]*)?$/.test(urn);
}

/** Equal for processes that serve the same resources, including default providers of different releases. */
export const serverOf = (process: string) => (isDefaultProvider(process) ? "default" : process);

/** A holder as a text for people. */
export const describeHolder = ({ urn, stack }: Pick<VoiceHolder, "urn" | "stack">) =>
  `${nameInUrn(urn)} of the stack ${stack}`;

/** The label of a holder's resource. A state of an early release has none. */
export const labelOf = ({ label, urn }: Pick<VoiceHolder, "label" | "urn">) => label ?? resourceLabel(urn);

/** What generated names are made from in a command or an operation, beside a holder. */
export type Naming = { [part in keyof NameMaker]: NameMaker[part] | undefined };

/**
 * Whether this package would give the holder's resource this generated name. A URN of another stack proves nothing:
 * somebody imported it.
 */
export function isNameOfHolder(
  { urn, stack, madeFrom = {} }: Pick<VoiceHolder, "urn" | "stack" | "madeFrom">,
  name: string,
  { namespace, apiKey }: Naming,
): IsName {
  const own = stackIn(urn);
  if (own === undefined || stacksLike([stack], own).length === 0) return "unknown";
  // The engine does not tell a plugin the organization, so names of programs in YAML, Python and Go are made without it.
  const spaces =
    namespace === undefined ? [partsOf(stack).organization ?? "organization", "organization"] : [namespace];
  const answers = spaces.map((space) => isNameOf({ urn, inputs: madeFrom }, name, { namespace: space, apiKey }));
  return answers.find((answer) => answer === "yes") ?? answers[0] ?? "unknown";
}
