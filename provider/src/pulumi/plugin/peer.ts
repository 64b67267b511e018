import { readFileSync } from "node:fs";
import { InputError } from "../../errors";

/**
 * The protocol of plugins has no password: whoever reaches the port of a plugin can have it make voices with the user's
 * key, and read the user's recordings. On Linux the system says which user holds the other end of a connection.
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
  const hex = (value: unknown, digits: number) => Number(value).toString(16).toUpperCase().padStart(digits, "0");
  // The bytes of the address are in reverse order.
  const local = `${address
    .split(".")
    .reverse()
    .map((byte) => hex(byte, 2))
    .join("")}:${hex(port, 4)}`;
  const row = table
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .find(([, at]) => at === local);
  return row?.[7] === undefined ? undefined : Number(row[7]);
}
