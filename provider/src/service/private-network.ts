import dns from "node:dns";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { RejectedError } from "../errors";

/**
 * Whether the host of a URL is an address that differs in meaning between networks: this machine, private networks, and
 * addresses without a route. Asks no name server.
 */
export function isPrivateAddress(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, "");
  if (!ipaddr.isValid(address)) return /(^|\.)localhost\.?$/i.test(host);
  const parsed = ipaddr.process(address);
  // An IPv4 address in an old form of IPv6, which some systems connect to. Workaround: ipaddr.js (2.5) has no range for
  // it.
  if (parsed.kind() === "ipv6" && parsed.match(ipaddr.parseCIDR("::/96"))) return true;
  // An IPv4 address behind a gateway from IPv6 is in the last four bytes.
  const reached = parsed.range() === "rfc6052" ? ipaddr.fromByteArray(parsed.toByteArray().slice(12)) : parsed;
  return reached.range() !== "unicast";
}

/** Whether a host is in a private network, by its address or by a name that is known here. */
export async function isPrivateHost(host: string): Promise<boolean> {
  if (isPrivateAddress(host)) return true;
  const found = await dns.promises.lookup(host, { all: true }).catch(() => []);
  return found.some(({ address }) => isPrivateAddress(address));
}

export function privateAddressError(): RejectedError {
  return new RejectedError("the image's address is in a private network, and the service is not, or has https");
}

/** Looks a name up for a connection, which fails if the name leads into a private network. */
export const lookupPublic: LookupFunction = (host, options, done) => {
  dns.lookup(host, { ...options, all: true }, (error, found) => {
    if (error) return done(error, []);
    if (found.some(({ address }) => isPrivateAddress(address))) return done(privateAddressError(), []);
    if (options.all) return done(null, found);
    const [first = { address: "", family: 0 }] = found;
    done(null, first.address, first.family);
  });
};
