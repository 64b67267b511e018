import { readFileSync } from "node:fs";
import type { AddressInfo, Server, Socket } from "node:net";
import { endianness } from "node:os";
import { attempt } from "./describe-thrown";

/**
 * Listens on a free port and returns its number. Other machines can't reach the port. Other users of this machine can.
 */
export async function listenHere(server: Pick<Server, "once" | "listen" | "address">): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}

type Ends = Pick<Socket, "localAddress" | "localPort" | "remoteAddress" | "remotePort">;

/** Linux lists connections of IPv4 and IPv6 separately. A connection to an IPv4 address may be in either table. */
const tables = ["/proc/net/tcp", "/proc/net/tcp6"];
/** The state of an open connection. Linux gives root as the owner of a closed connection. */
const established = "01";

/**
 * Whether the other end of a local connection belongs to this process's user. Always true on systems other than Linux:
 * they do not report the owner. Workaround: the protocol of plugins has no password. Another user who reaches the port
 * could create voices with the API key, and read recordings.
 */
export function isOwnUser(
  { localAddress, localPort, remoteAddress, remotePort }: Ends,
  user = process.platform === "linux" ? process.getuid?.() : undefined,
  readTable = (path: string) => readFileSync(path, "utf8"),
): boolean {
  if (user === undefined) return true;
  if (remoteAddress === undefined || localAddress === undefined) return false;
  return tables.some((path, index) => {
    const inTable =
      index === 0 ? inHex : (address: string) => `${"0".repeat(16)}${inHex("0.0.255.255")}${inHex(address)}`;
    const port = (number = 0) => number.toString(16).toUpperCase().padStart(4, "0");
    // A kernel without IPv6 has no table `tcp6`.
    const rows = attempt(() => readTable(path).split("\n")) ?? [];
    // In the other end's row, the two addresses are swapped.
    const ends = `${inTable(remoteAddress)}:${port(remotePort)} ${inTable(localAddress)}:${port(localPort)} ${established} `;
    const row = rows.find((line) => line.includes(`: ${ends}`));
    return row !== undefined && Number(row.trim().split(/\s+/)[7]) === user;
  });
}

/** An IPv4 address as the kernel prints it: as one number in the machine's byte order. */
function inHex(address: string): string {
  const bytes = address.split(".").map(Number);
  return Buffer.from(endianness() === "LE" ? bytes.reverse() : bytes)
    .toString("hex")
    .toUpperCase();
}
