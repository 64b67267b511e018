import { randomBytes, randomInt } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { startEmulator } from "./emulator";
import { assertRegularFile } from "./regular-file";
import type { Emulator, EmulatorOptions } from "./types";

/**
 * Starts an emulator. If it has a file, its address and key are the same at each start, because users set them in their
 * stacks. They are saved in `<file>.port` and `<file>.key`, unless the options state them.
 */
export function startKeptEmulator(file: string | undefined, options: EmulatorOptions = {}): Promise<Emulator> {
  return startKept(file, options, randomInt);
}

export async function startKept(
  file: string | undefined,
  options: EmulatorOptions,
  random: (from: number, to: number) => number,
): Promise<Emulator> {
  if (file === undefined) return startEmulator(options);
  for (const path of [file, `${file}.key`, `${file}.port`]) assertRegularFile(path);
  const accounts = options.accounts ?? { default: savedKey(`${file}.key`) };
  const port = options.port ?? readSaved(`${file}.port`);
  const start = (port: number) => startEmulator({ ...options, port, file, accounts });
  const emulator = await (port === undefined ? startAtFreePort(start, random) : start(Number(port)));
  writeFileSync(`${file}.port`, new URL(emulator.url).port);
  return emulator;
}

/**
 * Chooses a port below 32768. From 32768 (Linux) or 49152, systems use ports for outgoing connections, so such a port
 * might be in use at a later start.
 */
async function startAtFreePort(
  start: (port: number) => Promise<Emulator>,
  random: (from: number, to: number) => number,
): Promise<Emulator> {
  for (let attempts = 20; ; attempts--) {
    try {
      return await start(random(20_000, 32_768));
    } catch (error) {
      const { code } = (error as Error & { cause?: NodeJS.ErrnoException }).cause ?? {};
      if (code !== "EADDRINUSE" || attempts === 0) throw error;
    }
  }
}

function savedKey(path: string): string {
  const saved = readSaved(path);
  if (saved !== undefined) return saved;
  // `linkSync` creates a complete file and does not replace an existing one. So if an emulator is started twice at the
  // same moment, both use the same key.
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, `emulator-${randomBytes(12).toString("hex")}`, { mode: 0o600, flag: "wx" });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(path, "utf8").trim();
}

function readSaved(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8").trim() || undefined : undefined;
}
