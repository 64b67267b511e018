import { randomBytes, randomInt } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { startEmulator } from "./emulator";
import { assertRegularFile } from "./regular-file";
import type { Emulator, EmulatorOptions } from "./types";

/**
 * Starts an emulator. With a file, its address and key stay the same at each start, because users put them into their
 * stacks: they are in `<file>.port` and `<file>.key`, unless the options name others.
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
  const accounts = options.accounts ?? { default: keptKey(`${file}.key`) };
  const kept = options.port ?? readKept(`${file}.port`);
  const start = (port: number) => startEmulator({ ...options, port, file, accounts });
  const emulator = await (kept === undefined ? startAtFreePort(start, random) : start(Number(kept)));
  writeFileSync(`${file}.port`, new URL(emulator.url).port);
  return emulator;
}

/**
 * The port is kept, so it is none that a system gives to connections: Linux gives those from 32768 on, others from 49152. One
 * of them may be in use at a later start.
 */
async function startAtFreePort(
  start: (port: number) => Promise<Emulator>,
  random: (from: number, to: number) => number,
): Promise<Emulator> {
  for (let left = 20; ; left--) {
    try {
      return await start(random(20_000, 32_768));
    } catch (error) {
      const { code } = (error as Error & { cause?: NodeJS.ErrnoException }).cause ?? {};
      if (code !== "EADDRINUSE" || left === 0) throw error;
    }
  }
}

function keptKey(path: string): string {
  const kept = readKept(path);
  if (kept !== undefined) return kept;
  // A link comes into being as a whole, and never over another: of two first starts at once, both use the same text.
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

function readKept(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8").trim() || undefined : undefined;
}
