import { CloudVoiceError } from "../../errors";

/**
 * A command line that is killed leaves this process running, with creates that wait for a retry or a place. Paying for one then would
 * be paying twice, because the next run can't see it coming. The engine's address, the first argument of a provider, tells.
 */
export async function assertEngineAlive(): Promise<void> {
  const [, host, port] = /^(127\.0\.0\.1|localhost):(\d+)$/.exec(process.argv[2] ?? "") ?? [];
  if (host === undefined) return;
  const { connect } = await import("node:net");
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host, port: Number(port) });
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", () => reject(new CloudVoiceError("the engine is gone: nothing more is paid for")));
  });
}
