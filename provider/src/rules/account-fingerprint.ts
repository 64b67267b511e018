import { createHash } from "node:crypto";
import { isThisMachine } from "./public-url";

/**
 * The identity of an account, as each resource's state keeps it: the address of the interface, and six hex digits for
 * address and key. The key can't be found by it.
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

/** The address in a fingerprint. Undefined if a state records none. */
export function addressIn(fingerprint: string | undefined): string | undefined {
  const address = fingerprint?.split(" ")[0];
  return address === "" ? undefined : address;
}

/**
 * How a recorded account differs from the current one. A key and an address may both change while the account stays the
 * same, so either difference is a question to a person. `port`: of an emulator on this machine, which may have any.
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
