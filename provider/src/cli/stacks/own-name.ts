import {
  contentInputs,
  generateName,
  hasGeneratedId,
  looksGenerated,
  hashIn,
  hashInVoice,
  type VoiceContent,
} from "../../rules/naming";
import { withoutSignature } from "../../rules/public-url";
import { secretText } from "../../rules/rights";
import { isRecord, signature, unknownValue } from "../../rules/values";
import { isNamed, partsOf, stackIn } from "../../rules/resource-types";
import type { VoiceHolder } from "./state";
import type { ListedVoice } from "../../rules/voice";

/** What a generated name depends on beside the resource. `apiKey`: the key for names of secret content. */
interface Naming {
  namespace?: string | undefined;
  apiKey?: string | undefined;
}

/**
 * Whether this package generates this name for the resource. Only a match is evidence that a voice belongs to the
 * resource: a name in a state proves nothing, because people edit, copy and forge states. "unknown": the URN is not one
 * of the holder's stack, or one of the inputs that the name is generated from is secret, or not known yet.
 *
 * "no" does not mean that the voice belongs to somebody else. E.g. the resource was renamed with an alias, the
 * namespace has changed, or, for secret content, the API key has changed.
 */
export function isNameOfHolder(
  { urn, stack, content = {} }: Pick<VoiceHolder, "urn" | "stack" | "content">,
  name: string,
  { namespace, apiKey }: Naming,
): "yes" | "no" | "unknown" {
  const stackOfUrn = stackIn(urn);
  if (stackOfUrn === undefined || !isNamed(stackOfUrn, stack)) return "unknown";
  if (!looksGenerated(name)) return "no";
  const contents = contentsOf(content);
  if (contents === undefined) return "unknown";
  // The engine passes no organization to a plugin, so names of programs in YAML, Python and Go contain `organization`.
  const namespaces =
    namespace === undefined ? [partsOf(stack).organization ?? "organization", "organization"] : [namespace];
  const keys = apiKey === undefined ? [undefined] : [undefined, apiKey];
  const isName = (each: string, key: string | undefined) =>
    contents.some((content) => hashIn(generateName({ namespace: each, urn }, content, key)) === hashIn(name));
  return namespaces.some((each) => keys.some((key) => isName(each, key))) ? "yes" : "no";
}

/**
 * The inputs that the name may have been generated from. The recording counts by its hash, or by its path or URL if the
 * file was not read (`ignoreChanges`). Undefined if one of the inputs is secret or not known yet.
 */
function contentsOf(inputs: Readonly<Record<string, unknown>>): VoiceContent[] | undefined {
  const { adoptedWith } = inputs;
  const values = { ...inputs, ...(isRecord(adoptedWith) ? adoptedWith : {}) } as Record<string, unknown>;
  const { audio, audioSha256 } = values;
  if ([...contentInputs, "audioSha256"].some((name) => isHidden(values[name])) || typeof audio !== "string")
    return undefined;
  const places = [audioSha256, withoutSignature(audio)].filter((place) => typeof place === "string");
  return places.map((place) => ({ ...values, audio: place }) as unknown as VoiceContent);
}

function isHidden(value: unknown): boolean {
  if (value === unknownValue || value === secretText) return true;
  if (Array.isArray(value)) return value.some(isHidden);
  return isRecord(value) && (signature in value || Object.values(value).some(isHidden));
}

/** The voices with the generated name of a resource in this state, although it holds another voice. */
export function orphanedVoices<T extends Pick<ListedVoice, "voice">>(
  listed: T[],
  holders: readonly Pick<VoiceHolder, "voice" | "generatedName" | "urn" | "stack" | "content">[],
  naming: Naming,
): T[] {
  const ids = new Set(holders.map(({ voice }) => voice));
  const isProven = (holder: (typeof holders)[number]) =>
    isNameOfHolder(holder, holder.generatedName ?? "", naming) === "yes";
  const names = new Set(holders.filter(isProven).map(({ generatedName = "" }) => hashIn(generatedName)));
  return listed.filter(({ voice }) => !ids.has(voice) && names.has(hashInVoice(voice)) && hasGeneratedId(voice));
}
