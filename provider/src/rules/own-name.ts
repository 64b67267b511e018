import { contentInputs, generateName, hasGeneratedForm, hashIn, type Identity, type VoiceContent } from "./naming";
import { withoutSignature } from "./public-url";
import { secretText } from "./rights";
import { isRecord } from "./is-record";
import { signature, unknownValue } from "./unknown";

/** A resource as a state, a pending operation or a preview has it: the values that its generated name is made from. */
export interface NameSource {
  urn: string;
  inputs: Readonly<Record<string, unknown>>;
}

/** What a name is made from beside the resource. `apiKey`: names of secret content are made with the key. */
export interface NameMaker {
  namespace: string;
  apiKey: string | undefined;
}

/** `unknown`: content that the name is made from is secret here, or not known yet. */
export type IsName = "yes" | "no" | "unknown";

/**
 * Whether this package would give the resource this generated name. Only this makes a name evidence for whose a voice
 * is: the name in a state proves nothing, because people edit, copy and forge states.
 *
 * "no" does not mean that the voice is somebody else's: e.g. after a rename with an alias, a new namespace or, for
 * secret content, a new key, the name was made from other values. `name` may be any text that ends with the name.
 */
export function isNameOf({ urn, inputs }: NameSource, name: string, { namespace, apiKey }: NameMaker): IsName {
  if (!hasGeneratedForm(name)) return "no";
  const content = contentOf(inputs);
  if (content === undefined) return "unknown";
  const { namedAs } = inputs;
  const identity: Identity = { namespace, urn: typeof namedAs === "string" ? renamedUrn(urn, namedAs) : urn };
  const keys = apiKey === undefined ? [undefined] : [undefined, apiKey];
  const made = content.flatMap((each) => keys.map((key) => hashIn(generateName(identity, each, key))));
  return made.includes(hashIn(name)) ? "yes" : "no";
}

/**
 * What the name may have been made from: the hash of the recording, or its path where the file was not read
 * (`ignoreChanges`). Undefined if part of it is hidden.
 */
function contentOf(inputs: NameSource["inputs"]): VoiceContent[] | undefined {
  const { adoptedWith } = inputs;
  const all = { ...inputs, ...(isRecord(adoptedWith) ? adoptedWith : {}) } as Record<string, unknown>;
  const { audio, audioSha256 } = all;
  if ([...contentInputs, "audioSha256"].some((name) => isHidden(all[name])) || typeof audio !== "string")
    return undefined;
  const places = [audioSha256, withoutSignature(audio)].filter((place) => typeof place === "string");
  return places.map((place) => ({ ...all, audio: place }) as unknown as VoiceContent);
}

function isHidden(value: unknown): boolean {
  if (value === unknownValue || value === secretText) return true;
  if (Array.isArray(value)) return value.some(isHidden);
  return isRecord(value) && (signature in value || Object.values(value).some(isHidden));
}

/** The URN of the same resource under another name: e.g. of the entry of a set before it got another key. */
function renamedUrn(urn: string, name: string): string {
  return [...urn.split("::").slice(0, 3), name].join("::");
}
