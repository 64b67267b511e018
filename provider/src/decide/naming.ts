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

/** Whether a listed voice was created under this preferred name (contract 2.1: prefix, name, `-voice-`, time, suffix). */
export function voiceCarriesName(voice: string, preferredName: string): boolean {
  const end = voice.lastIndexOf("-voice-");
  if (end < 0) return false;
  const start = end - preferredName.length;
  if (start < 0 || voice.slice(start, end) !== preferredName) return false;
  // The service's prefix is not spelt out, but a name's own characters before the match mean a longer name.
  return start === 0 || !/[0-9A-Za-z_]/.test(voice.charAt(start - 1));
}

/** The preferred name inside a listed voice's name, as far as its shape tells. */
export function nameInVoice(voice: string): string | undefined {
  const end = voice.lastIndexOf("-voice-");
  return end < 0 ? undefined : /(?:^|[^0-9A-Za-z_])([0-9A-Za-z_]{1,16})$/.exec(voice.slice(0, end))?.[1];
}
