import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { controlsOf } from "./controls";
import { lockFile } from "./file-lock";
import { createApp } from "./server";
import { EmulatorState } from "./state";
import type { TestOptions } from "./test-options";
import type { Emulator, EmulatorOptions } from "./types";

export function startEmulator(options?: EmulatorOptions): Promise<Emulator> {
  return startTestEmulator(options);
}

export async function startTestEmulator(options: TestOptions = {}): Promise<Emulator> {
  const host = options.host ?? "127.0.0.1";
  const unlock = options.file === undefined ? undefined : await lockFile(options.file);
  try {
    const state = new EmulatorState(options);
    const server = createServer(createApp(state, host));
    await listen(server, options.port ?? 0, host);
    const { port } = server.address() as AddressInfo;
    state.url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
    const stop = async () => {
      await Promise.all([close(server), state.close()]);
      await unlock?.();
    };
    return { url: state.url, apiKey: state.apiKey, ...controlsOf(state), close: stop };
  } catch (error) {
    await unlock?.();
    throw error;
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(cannotListen(port, host, error))).listen(port, host, resolve);
  });
}

function cannotListen(port: number, host: string, cause: NodeJS.ErrnoException): Error {
  const isInUse = cause.code === "EADDRINUSE";
  const reason = isInUse ? ", because another program uses this port (EADDRINUSE)" : `: ${cause.message}`;
  const advice = isInUse ? "Stop that program, or choose" : "Choose another address with --host <address>, or";
  const otherPort = "another port with --port <number> (in a test: the option port; with 0, a free port)";
  return new Error(`The emulator cannot listen on ${host}:${port}${reason}. ${advice} ${otherPort}.`, { cause });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
