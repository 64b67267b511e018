import { readFileSync } from "node:fs";
import type { AddressInfo, Server, Socket } from "node:net";
import { endianness } from "node:os";

/** Listens on a free port of this machine, which it returns. Other machines do not reach it, other users of this one do. */
export async function listenHere(server: Pick<Server, "once" | "listen" | "address">): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}

type Ends = Pick<Socket, "localAddress" | "localPort" | "remoteAddress" | "remotePort">;

/** Linux lists the connections of IPv4 and of IPv6 apart. A program may connect to an IPv4 address through either. */
const tables = ["/proc/net/tcp", "/proc/net/tcp6"];
/** Once the other end is closed, the table names the administrator as its owner. */
const established = "01";

/**
 * Whether the user of this process holds the other end of a connection on this machine. Workaround: the protocol of
 * plugins has no password. Whoever reaches the port of a plugin can have it make voices with the user's key, and read
 * the user's recordings. Other systems than Linux do not say who is connected.
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
    // Look for the other end's row, where the two addresses are swapped.
    const ends = `${inTable(remoteAddress)}:${port(remotePort)} ${inTable(localAddress)}:${port(localPort)} ${established} `;
    const row = rowsOf(path, readTable).find((line) => line.includes(`: ${ends}`));
    return row !== undefined && Number(row.trim().split(/\s+/)[7]) === user;
  });
}

/** A kernel without IPv6 has no table of it. */
function rowsOf(path: string, readTable: (path: string) => string): string[] {
  try {
    return readTable(path).split("\n");
  } catch {
    return [];
  }
}

/** Four bytes as the kernel prints them: as one number of this machine. */
function inHex(address: string): string {
  const bytes = address.split(".").map(Number);
  return Buffer.from(endianness() === "LE" ? bytes.reverse() : bytes)
    .toString("hex")
    .toUpperCase();
}
