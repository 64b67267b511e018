import { readFileSync } from "node:fs";
import { InputError } from "../../errors";

/**
 * Workaround: the protocol of plugins has no password. Whoever reaches the port of a plugin can have it make voices
 * with the user's key, and read the user's recordings. Linux says which user holds the other end of a connection.
 */
export class PeerCheck {
  private readonly trusted = new Set<string>();

  constructor(
    private readonly user = process.getuid?.(),
    private readonly readTable = () => readFileSync("/proc/net/tcp", "utf8"),
  ) {}

  /** Throws if another user of the machine is known to be connected. `peer` is an address and a port. */
  assertOwnUser(peer: string): void {
    if (this.user === undefined || this.trusted.has(peer)) return;
    let owner: number | undefined;
    try {
      owner = ownerOf(peer, this.readTable());
    } catch {
      // Other systems than Linux have no such table.
    }
    if (owner !== undefined && owner !== this.user)
      throw new InputError("the call came from another user of this machine, so it is refused");
    this.trusted.add(peer);
  }
}

/** The user who holds this end of a connection; undefined if the table does not have it. */
export function ownerOf(peer: string, table: string): number | undefined {
  const [, address = "", port] = /^(\d+\.\d+\.\d+\.\d+):(\d+)$/.exec(peer) ?? [];
  // The bytes of the address are in reverse order.
  const reversed = Buffer.from(address.split(".").map(Number).reverse()).toString("hex");
  const local = `${reversed}:${Number(port).toString(16).padStart(4, "0")}`.toUpperCase();
  const row = table
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .find(([, at]) => at === local);
  return row?.[7] === undefined ? undefined : Number(row[7]);
}
