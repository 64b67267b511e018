import { createHash } from "node:crypto";

/**
 * Identifies an account in the state of each resource: the address of the interface, and six hex digits of a hash of
 * address and key. The digits do not reveal the key.
 */
export function accountFingerprint(baseUrl: string, apiKey: string): string {
  // @persisted
  const address = originOf(baseUrl);
  return `${address} ${createHash("sha256").update(`${address}\0${apiKey}`).digest("hex").slice(0, 6)}`;
}

/** The whole address: scheme, host, port and path. */
function originOf(address: string): string {
  const { origin, pathname } = new URL(address);
  return pathname === "/" ? origin : `${origin}${pathname}`;
}
