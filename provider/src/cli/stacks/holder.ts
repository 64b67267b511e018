import { nameInUrn } from "../../rules/resource-types";
import { type IsName, isNameOf, type NameMaker } from "./own-name";
import type { StoredRights } from "../../rules/rights";
import { partsOf, stackIn, stacksLike } from "./names";
import { looksGenerated, hashIn, hashInVoice, nameOfVoice } from "../../rules/naming";
import type { ListedVoice } from "../../rules/voice";

/** A resource in a saved state, with its voice. An old copy has its voice until the engine deletes the copy. */
export interface VoiceHolder {
  stack: string;
  /** The URN that the resource has with the dynamic provider, or would have. It identifies the resource. */
  urn: string;
  savedUrn: string;
  voice: string;
  /** The fingerprint of the account that the state records for the voice. */
  account?: string | undefined;
  /** The preferred name, if the state records that it was generated. Not a proof: see {@link isNameOfHolder}. */
  generatedName?: string | undefined;
  /** The inputs and outputs in the state, from which the generated name can be computed again. */
  content?: Readonly<Record<string, unknown>> | undefined;
  rights?: StoredRights | undefined;
  /** The path or URL of the recording, and its hash if it is a file. */
  audio?: string | undefined;
  audioSha256?: string | undefined;
  createdAt?: string | undefined;
}

export const describeHolder = ({ urn, stack }: Pick<VoiceHolder, "urn" | "stack">) =>
  `${nameInUrn(urn)} of the stack ${stack}`;

/** What a generated name depends on beside the holder, as far as a command or an operation knows it. */
export type Naming = { [part in keyof NameMaker]?: NameMaker[part] | undefined };

/**
 * Whether this package generates this name for the resource. Unknown if the URN is not one of the holder's stack, e.g.
 * in a state from another stack.
 */
export function isNameOfHolder(
  { urn, stack, content = {} }: Pick<VoiceHolder, "urn" | "stack" | "content">,
  name: string,
  { namespace, apiKey }: Naming,
): IsName {
  const stackOfUrn = stackIn(urn);
  if (stackOfUrn === undefined || stacksLike([stack], stackOfUrn).length === 0) return "unknown";
  // The engine passes no organization to a plugin, so names of programs in YAML, Python and Go contain `organization`.
  const namespaces =
    namespace === undefined ? [partsOf(stack).organization ?? "organization", "organization"] : [namespace];
  const answers = namespaces.map((each) => isNameOf({ urn, inputs: content }, name, { namespace: each, apiKey }));
  return answers.find((answer) => answer === "yes") ?? answers[0] ?? "unknown";
}

/** The voices with the generated name of a resource in this state, although it holds another voice. */
export function orphanedVoices<T extends Pick<ListedVoice, "voice">>(
  listed: T[],
  holders: readonly Pick<VoiceHolder, "voice" | "generatedName" | "urn" | "stack" | "content">[],
  naming: Naming,
): T[] {
  const ids = new Set(holders.map(({ voice }) => voice));
  const names = new Set(
    holders.flatMap((holder) => {
      const { generatedName } = holder;
      const isProven = generatedName !== undefined && isNameOfHolder(holder, generatedName, naming) === "yes";
      return isProven ? [hashIn(generatedName)] : [];
    }),
  );
  return listed.filter(
    ({ voice }) => !ids.has(voice) && names.has(hashInVoice(voice)) && looksGenerated(nameOfVoice(voice)),
  );
}
