import { contentInputs, generateName, looksGenerated, hashIn, type VoiceContent } from "../../rules/naming";
import { withoutSignature } from "../../rules/public-url";
import { secretText } from "../../rules/rights";
import { isRecord } from "../../rules/is-record";
import { signature, unknownValue } from "../../rules/unknown";

/** What the generated name of a resource depends on. The resource may be in a state or a preview. */
export interface NameSource {
  urn: string;
  inputs: Readonly<Record<string, unknown>>;
}

/** The sources of generated names besides the resource. `apiKey`: the key for names of secret content. */
export interface NameMaker {
  namespace: string;
  apiKey: string | undefined;
}

/** `unknown`: one of the inputs that the name is generated from is secret, or not known yet. */
export type IsName = "yes" | "no" | "unknown";

/**
 * Whether this package would generate this name for the resource. `name` may be a longer text that ends with the name.
 * Only a match is evidence that a voice belongs to the resource: a name in a state proves nothing, because people edit,
 * copy and forge states.
 *
 * "no" does not mean that the voice belongs to somebody else. E.g. the resource was renamed with an alias, the
 * namespace has changed, or, for secret content, the API key has changed.
 */
export function isNameOf({ urn, inputs }: NameSource, name: string, { namespace, apiKey }: NameMaker): IsName {
  if (!looksGenerated(name)) return "no";
  const content = contentOf(inputs);
  if (content === undefined) return "unknown";
  const keys = apiKey === undefined ? [undefined] : [undefined, apiKey];
  const names = content.flatMap((each) => keys.map((key) => generateName({ namespace, urn }, each, key)));
  return names.some((each) => hashIn(each) === hashIn(name)) ? "yes" : "no";
}

/**
 * The inputs that the name may have been generated from. The recording counts by its hash, or by its path or URL if the
 * file was not read (`ignoreChanges`). Undefined if one of the inputs is secret or not known yet.
 */
function contentOf(inputs: NameSource["inputs"]): VoiceContent[] | undefined {
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
