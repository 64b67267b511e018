import { createHash } from "node:crypto";

/** Identifies an account without revealing its key: four hex digits for the address, six for address and key. */
export function accountFingerprint(baseUrl: string, apiKey: string): string {
  const short = (text: string, digits: number) => createHash("sha256").update(text).digest("hex").slice(0, digits);
  return `${short(baseUrl, 4)}-${short(`${baseUrl}\0${apiKey}`, 6)}`;
}

/** The part of a fingerprint that identifies the address. */
export const addressIn = (fingerprint: string | undefined) => fingerprint?.split("-")[0];
