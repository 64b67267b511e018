import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { isOwnUser } from "../../provider/src/peer";

/** As Linux prints them: the engine's end of a connection, that of another user, and one that was closed. */
const tables: Record<string, string> = {
  "/proc/net/tcp": `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 11 1 0 100 0 0 10 0
   1: 0100007F:D431 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 12 1 0 20 4 30 10 -1
   2: 0100007F:D432 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 13 1 0 20 4 30 10 -1
   3: 0100007F:D433 0100007F:1F90 04 00000000:00000000 00:00000000 00000000     0        0 0 1 0 20 4 30 10 -1
   4: 0100007F:D434 0100007F:2F90 01 00000000:00000000 00:00000000 00000000  1000        0 12 1 0 20 4 30 10 -1
`,
  "/proc/net/tcp6": `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0000000000000000FFFF00000100007F:D441 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 15 1 0 20 4 30 10 -1
   1: 0000000000000000FFFF00000100007F:D442 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 16 1 0 20 4 30 10 -1
`,
};
const read = (path: string) => {
  const table = tables[path];
  if (table === undefined) throw new Error("ENOENT");
  return table;
};
const endsAt = (remotePort: number) => ({
  ...{ localAddress: "127.0.0.1", localPort: 8080, remoteAddress: "127.0.0.1", remotePort },
});

test.each([
  ["of the own user", 54321, 1000, true],
  ["of the own user, through IPv6", 54337, 1000, true],
  ["of another user", 54322, 1000, false],
  ["of another user, through IPv6", 54338, 1000, false],
  ["that its user closed, while the administrator runs the plugin", 54323, 0, false],
  ["to another port of the same number", 54324, 1000, false],
  ["that no table has", 54325, 1000, false],
])("a connection %s", (_, port, user, expected) => {
  expect(isOwnUser(endsAt(port), user, read)).toBe(expected);
});

test("a connection that no table could be read for is refused, and one on a system without users is not", () => {
  const unreadable = () => {
    throw new Error("EACCES");
  };
  expect(isOwnUser(endsAt(54321), 1000, unreadable)).toBe(false);
  expect(isOwnUser(endsAt(54321), undefined, unreadable)).toBe(process.platform !== "linux");
});

test.each(["127.0.0.1", "::ffff:127.0.0.1"])(
  "a connection of this process to %s is one of its own user",
  async (host) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
    const client = connect((server.address() as AddressInfo).port, host);
    expect(isOwnUser(await accepted)).toBe(true);
    client.destroy();
    server.close();
  },
);
