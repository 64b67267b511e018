import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { ownerOf, PeerCheck } from "../../provider/src/pulumi/plugin/peer";

/** As Linux prints it: the engine's end of a connection, and that of another user. */
const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 11 1 0 100 0 0 10 0
   1: 0100007F:D431 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 12 1 0 20 4 30 10 -1
   2: 0100007F:D432 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 13 1 0 20 4 30 10 -1
`;

test.each([
  ["127.0.0.1:54321", 1000],
  ["127.0.0.1:54322", 1001],
  ["127.0.0.1:54323", undefined],
  ["unknown", undefined],
])("the user at %s is %p", (peer, user) => {
  expect(ownerOf(peer, table)).toBe(user);
});

test("a call of another user of the machine is refused, each time, and one of its own user is not", () => {
  const check = new PeerCheck(1000, () => table);
  expect(() => check.assertOwnUser("127.0.0.1:54321")).not.toThrow();
  for (let calls = 0; calls < 2; calls++)
    expect(() => check.assertOwnUser("127.0.0.1:54322")).toThrow(/another user of this machine/);
});

test("where the system does not say who is connected, calls are accepted", () => {
  const silent = new PeerCheck(1000, () => {
    throw new Error("ENOENT");
  });
  expect(() => silent.assertOwnUser("127.0.0.1:54322")).not.toThrow();
});

test("a connection of this process is one of its own user", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  await new Promise((resolve) => client.once("connect", resolve));
  expect(() => new PeerCheck().assertOwnUser(`127.0.0.1:${client.localPort}`)).not.toThrow();
  client.destroy();
  server.close();
});
