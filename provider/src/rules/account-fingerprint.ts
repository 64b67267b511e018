import { createHash } from "node:crypto";
import { isThisMachine } from "./public-url";

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
export function originOf(address: string): string {
  const { origin, pathname } = new URL(address);
  return pathname === "/" ? origin : `${origin}${pathname}`;
}

export function addressIn(fingerprint: string | undefined): string | undefined {
  const address = fingerprint?.split(" ")[0];
  return address === "" ? undefined : address;
}

/**
 * How a recorded account differs from the current one. A key or an address may change while the account stays the same,
 * so a person is asked about either. `port`: both addresses are on this machine, where an emulator may have any port.
 * `machine`: only one of the two is on this machine, so they have no account in common.
 */
export function accountDifference(recorded: string, current: string): "none" | "key" | "port" | "address" | "machine" {
  if (recorded === current) return "none";
  const [was, is] = [addressIn(recorded), addressIn(current)];
  if (was === is) return "key";
  if (isLoopback(was) !== isLoopback(is)) return "machine";
  return isLoopback(was) ? "port" : "address";
}

export const isLoopback = (address = "") => URL.canParse(address) && isThisMachine(address);
