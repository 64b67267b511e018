import { CloudVoiceError } from "../../errors";

/**
 * The engine's address, or undefined if this process was not started by an engine. The engine passes it as the last
 * argument; with `--logflow` and `--tracing` it puts options before it.
 */
export function engineAddress(argv: readonly string[]): string | undefined {
  return argv.slice(2).findLast((argument) => /^(127\.0\.0\.1|localhost|\[::1\]):\d+$/.test(argument));
}

/**
 * Workaround: a command line that is killed leaves the provider process running, with creates that wait for a retry or
 * for their turn. The next run does not know of them, so each would be paid for twice.
 */
export async function assertEngineAlive(address: string | undefined): Promise<void> {
  const [, host, port] = /^(.*):(\d+)$/.exec(address ?? "") ?? [];
  if (host === undefined) return;
  const { connect } = await import("node:net");
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host: host.replace(/^\[|\]$/g, ""), port: Number(port) });
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", () =>
      reject(new CloudVoiceError("The Pulumi engine has exited, so the request was not sent. Run `pulumi up` again.")),
    );
  });
}
