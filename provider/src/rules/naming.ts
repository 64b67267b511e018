import { createHash } from "node:crypto";

/**
 * The version of the formula below. A voice keeps the name it was made under, so a new version changes only voices made from
 * then on; it may never change what an older version gives.
 */
export const nameVersion = 1;

export const longestName = 16;
const hashCharacters = 8;

/** Where a resource stands: two resources never share it. */
export interface Identity {
  /** Keeps apart people who use the same project and stack names on one account. */
  namespace: string;
  urn: string;
}

/** Everything a voice is made from. */
export interface VoiceContent {
  targetModel: string;
  /** The bytes' SHA-256, or the URL. */
  audio: string;
  text?: string | undefined;
  language?: string | undefined;
  triggers?: readonly unknown[] | undefined;
}

/**
 * A name that identifies: the same resource with the same content always gets the same name, and nothing else does. So a create
 * whose answer was lost can be found again in the account's list. Readable part, underscore, 41 bits of hash in base 36.
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
  // The end of a name tells more than its beginning, which in a catalog is the catalog's own.
  return plain.slice(-(longestName - hashCharacters - 1)).replace(/^_+/, "") || "voice";
}

/** What stands before `-voice-` in a listed voice's name: the service's prefix, and the preferred name (contract 2.1). */
function stemOf(voice: string): string | undefined {
  const end = voice.lastIndexOf("-voice-");
  return end < 0 ? undefined : voice.slice(0, end);
}

/**
 * Whether a listed voice was created under this preferred name. How the prefix ends is not promised: a generated name is told by its
 * hash, whatever stands before it; before a chosen one, a name's own characters mean a longer name.
 */
export function voiceCarriesName(voice: string, preferredName: string, generated: boolean): boolean {
  const stem = stemOf(voice);
  if (stem?.endsWith(preferredName) !== true) return false;
  return generated || !/[0-9A-Za-z_]$/.test(stem.slice(0, stem.length - preferredName.length));
}

/** What generated names can be found by: a hash, behind whatever prefix. */
export function hashInVoice(voice: string): string {
  return (stemOf(voice) ?? "").slice(-hashCharacters);
}

/** The preferred name inside a listed voice's name, as far as its shape tells. */
export function nameInVoice(voice: string): string | undefined {
  return /(?:^|[^0-9A-Za-z_])([0-9A-Za-z_]{1,16})$/.exec(stemOf(voice) ?? "")?.[1];
}
