import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { emulate } from "../support/emulate";
import { startPlugin } from "../support/plugin-process";

/** Only the administrator can act as another user. */
const asRoot = process.getuid?.() === 0 && process.platform === "linux" ? test : test.skip;
const nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"];

/** A call without arguments, which each plugin answers, and what became of it: its status, or `refused`. */
const callScript = `
  const call = require("http2").connect("http://" + process.argv[1]).on("error", () => {});
  // Whether the end of the connection arrives as an error depends on when it does.
  call.on("close", () => console.log("refused"));
  const stream = call.request({
    ":method": "POST", ":path": "/pulumirpc.ResourceProvider/GetPluginInfo", "content-type": "application/grpc", te: "trailers",
  });
  stream.on("response", (headers) => { console.log(headers[":status"]); process.exit(); }).on("error", () => {});
  stream.end(Buffer.alloc(5));
`;
async function callAs(user: string[], address: string): Promise<string> {
  const [command, ...args] = [...user, process.execPath, "-e", callScript, address];
  return (await promisify(execFile)(command, args, { cwd: "/" })).stdout.trim();
}

asRoot("another user of the machine reaches the plugin through no address, and its own user through each", async () => {
  const plugin = await startPlugin(await emulate());
  try {
    const addresses = [`127.0.0.1:${plugin.port}`, `[::ffff:127.0.0.1]:${plugin.port}`];
    for (const address of addresses) {
      expect([address, await callAs([], address)]).toEqual([address, "200"]);
      expect([address, await callAs(nobody, address)]).toEqual([address, "refused"]);
    }
  } finally {
    plugin.stop();
  }
});
