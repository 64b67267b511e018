import type { ClientHttp2Session } from "node:http2";
import { setImmediate as nextTurn } from "node:timers/promises";
import { CloudVoiceError } from "./errors";
import { loadedAfterCall } from "./once";

/**
 * The engine's address, which the engine passes as the last argument, after options such as `--logflow` and
 * `--tracing`. Undefined if the engine did not start this process.
 */
export function engineAddress(argv: readonly string[]): string | undefined {
  return argv.slice(2).findLast((argument) => /^(127\.0\.0\.1|localhost|\[::1\]):\d+$/.test(argument));
}

/**
 * A connection that the operating system closes when the engine exits. Workaround: if the Pulumi command line is
 * killed, the provider process keeps running, and would still send the creates that wait for a retry or for their turn.
 * The next run does not know of these creates, and would pay for the same voices again. The connection stays open,
 * because a new one for each voice takes a tenth of the CPU time of this process.
 */
export class EngineConnection {
  private session: ClientHttp2Session | undefined;
  private readonly open: () => Promise<ClientHttp2Session>;

  constructor(private readonly address: string | undefined) {
    this.open = loadedAfterCall(() => connectTo(`http://${address}`));
  }

  /** Rejects if the engine has exited. */
  readonly assertAlive = async (): Promise<void> => {
    if (this.address === undefined) return;
    // Node.js notices a closed connection in one turn of its event loop, and closes the session in a later turn.
    for (let turns = 0; turns < 3 && isOpen(this.session); turns++) await nextTurn();
    if (!isOpen(this.session)) this.session = await this.open();
  };
}

/**
 * Runs `work` once, after two failed checks in a row. Workaround: if the Pulumi command line is killed, the provider
 * process keeps running.
 */
export function whenEngineIsGone(assertAlive: () => Promise<void>, work: () => void, everyMs = 1000): void {
  let failures = 0;
  const timer = setInterval(() => {
    assertAlive().then(
      () => (failures = 0),
      () => {
        if (++failures !== 2) return;
        clearInterval(timer);
        work();
      },
    );
  }, everyMs);
  timer.unref();
}

function isOpen(session: ClientHttp2Session | undefined): boolean {
  return session !== undefined && !session.closed && !session.destroyed;
}

async function connectTo(url: string): Promise<ClientHttp2Session> {
  const { connect } = await import("node:http2");
  return new Promise((resolve, reject) => {
    const session = connect(url, () => {
      session.unref();
      resolve(session);
    });
    session.on("error", () =>
      reject(new CloudVoiceError("The Pulumi engine has exited, so the request was not sent. Run `pulumi up` again.")),
    );
  });
}
