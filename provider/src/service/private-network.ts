import dns from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { RejectedError } from "../errors";

/** Addresses that mean another machine in each network: this machine, private networks, and those without a route. */
const privateNetworks = new BlockList();
for (const network of [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24"],
  ...["192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/4", "240.0.0.0/4"],
]) {
  const [address = "", prefix] = network.split("/");
  privateNetworks.addSubnet(address, Number(prefix), "ipv4");
  // The same address behind a gateway from IPv6 to IPv4.
  privateNetworks.addSubnet(`64:ff9b::${address}`, 96 + Number(prefix), "ipv6");
}
for (const [address, prefix] of [
  ["::", 127],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  privateNetworks.addSubnet(address, prefix, "ipv6");

/** Whether the host of a URL is an address of a private network, or a name of this machine. Asks no name server. */
export function isPrivateAddress(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, "");
  const version = isIP(address);
  if (version === 0) return /(^|\.)localhost\.?$/i.test(host);
  return privateNetworks.check(address, version === 4 ? "ipv4" : "ipv6");
}

/** Whether a host is in a private network, also by its name. A name that is not known here is not. */
export async function isPrivateHost(host: string): Promise<boolean> {
  if (isPrivateAddress(host)) return true;
  const found = await dns.promises.lookup(host, { all: true }).catch(() => []);
  return found.some(({ address }) => isPrivateAddress(address));
}

export function privateAddressError(): RejectedError {
  return new RejectedError("the image's address is in a private network, and the service is not");
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
