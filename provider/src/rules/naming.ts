import { createHash } from "node:crypto";
import type { CheckedVoice } from "./voice";

/**
 * The version of the formula below. A voice keeps the name it was created with, so a new version affects new voices
 * only. Never change what an older version returns: existing voices are found by it.
 */
export const nameVersion = 1;

export const longestName = 16;
const hashCharacters = 8;

/** Identifies a resource: two resources never share it. */
export interface Identity {
  /** Keeps teams apart that use the same project and stack names on one account. */
  namespace: string;
  urn: string;
}

/** Everything a voice is created from. */
export interface VoiceContent {
  targetModel: string;
  /** The bytes' SHA-256, or the URL. */
  audio: string;
  text?: string | undefined;
  language?: string | undefined;
  triggers?: readonly unknown[] | undefined;
}

/**
 * A name that identifies a resource and its content: equal resources with equal content always get the same name, and
 * others never do. So a voice whose create had no response can be found in the account's list. The name is a readable
 * part, an underscore, and a hash of 41 bits in base 36.
 */
export function generateName(identity: Identity, content: VoiceContent): string {
  const { targetModel, audio, text = null, language = null, triggers = [] } = content;
  const parts = [nameVersion, identity.namespace, identity.urn, targetModel, audio, text, language, triggers];
  const digest = createHash("sha256").update(JSON.stringify(parts)).digest();
  const hash = (digest.readBigUInt64BE(0) % 36n ** BigInt(hashCharacters)).toString(36).padStart(hashCharacters, "0");
  return `${readablePart(identity.urn)}_${hash}`;
}

function readablePart(urn: string): string {
  const resourceName = urn.slice(urn.lastIndexOf("::") + 2);
  const plain = resourceName.replace(/[^0-9A-Za-z]+/g, "_").replace(/^_+|_+$/g, "");
  // The end of a name distinguishes more than its beginning, which in a catalog is the name of the catalog.
  return plain.slice(-(longestName - hashCharacters - 1)).replace(/^_+/, "") || "voice";
}

/**
 * The name to keep or to give. Undefined while an input that the name depends on is not known yet.
 * The engine passes the old inputs for every voice that exists, and none for one that is to be created.
 */
export function chooseName(
  inputs: Readonly<Record<string, unknown>>,
  unknown: ReadonlySet<string>,
  audioIdentity: string | undefined,
  identity: Identity | undefined,
  olds: Partial<CheckedVoice>,
): Pick<CheckedVoice, "preferredName" | "nameVersion"> | undefined {
  if (typeof inputs.preferredName === "string") return { preferredName: inputs.preferredName };
  if (unknown.has("preferredName")) return undefined;
  if (olds.preferredName !== undefined) {
    const { preferredName, nameVersion: version } = olds;
    return { preferredName, ...(version !== undefined && { nameVersion: version }) };
  }
  const waits = ["targetModel", "text", "language", "triggers", "identity"].some((name) => unknown.has(name));
  if (waits || audioIdentity === undefined || identity === undefined) return undefined;
  const content = { ...inputs, audio: audioIdentity } as unknown as VoiceContent;
  return { preferredName: generateName(identity, content), nameVersion };
}

/** The part before `-voice-` in a listed voice's name: the service's prefix and the preferred name. */
function stemOf(voice: string): string | undefined {
  const end = voice.lastIndexOf("-voice-");
  return end < 0 ? undefined : voice.slice(0, end);
}

/**
 * Whether a listed voice was created with this preferred name. The service does not promise how its prefix ends. A
 * generated name is recognised by its hash, whatever precedes it. Before a chosen name, a character that names may
 * contain means a longer name.
 */
export function voiceCarriesName(voice: string, preferredName: string, generated: boolean): boolean {
  const stem = stemOf(voice);
  if (stem?.endsWith(preferredName) !== true) return false;
  return generated || !/[0-9A-Za-z_]$/.test(stem.slice(0, stem.length - preferredName.length));
}

/** The last characters of the name inside a voice's name: the hash, if the name was generated. */
export function hashInVoice(voice: string): string {
  return (stemOf(voice) ?? "").slice(-hashCharacters);
}

/** The preferred name inside a listed voice's name, if the name has the usual shape. */
export function nameInVoice(voice: string): string | undefined {
  return /(?:^|[^0-9A-Za-z_])([0-9A-Za-z_]{1,16})$/.exec(stemOf(voice) ?? "")?.[1];
}
