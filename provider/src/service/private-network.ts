import dns from "node:dns";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { RejectedError } from "../errors";

/** Whether a URL's host is of this machine or a private network, or can't be routed. Does not look up names. */
export function isPrivateAddress(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, "");
  if (!ipaddr.isValid(address)) return /(^|\.)localhost\.?$/i.test(host);
  const parsed = ipaddr.process(address);
  // Workaround: ipaddr.js (2.5) does not recognise IPv4-compatible addresses (::/96), to which some systems connect.
  if (parsed.kind() === "ipv6" && parsed.match(ipaddr.parseCIDR("::/96"))) return true;
  // In an address of NAT64 (RFC 6052), the last four bytes are the IPv4 address to which a gateway connects.
  const reached = parsed.range() === "rfc6052" ? ipaddr.fromByteArray(parsed.toByteArray().slice(12)) : parsed;
  return reached.range() !== "unicast";
}

/** Whether a host is in a private network. Looks up the addresses of a host name. */
export async function isPrivateHost(host: string): Promise<boolean> {
  if (isPrivateAddress(host)) return true;
  const addresses = await dns.promises.lookup(host, { all: true }).catch(() => []);
  return addresses.some(({ address }) => isPrivateAddress(address));
}

export function privateAddressError(): RejectedError {
  return new RejectedError(
    "the image's address is in a private network. This is allowed only if the service is in a private network too, " +
      "and the address uses https if the service does",
  );
}

/** Looks up a host name for a new connection. Fails if any of its addresses is private. */
export const lookupPublic: LookupFunction = (host, options, done) => {
  dns.lookup(host, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, []);
    if (addresses.some(({ address }) => isPrivateAddress(address))) return done(privateAddressError(), []);
    if (options.all) return done(null, addresses);
    const [first = { address: "", family: 0 }] = addresses;
    done(null, first.address, first.family);
  });
};
