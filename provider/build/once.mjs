import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const local = join(import.meta.dirname, "..", "..", ".local");
const lock = join(local, "building");
/** Longer than a build takes. Whoever holds the lock for longer was killed. */
const longestBuildMs = 180_000;

/** Waits until no other build writes `dist`, and keeps others waiting until this process ends. */
export async function waitForTurn() {
  mkdirSync(local, { recursive: true });
  for (;;) {
    try {
      mkdirSync(lock);
      process.on("exit", () => rmSync(lock, { recursive: true, force: true }));
      return;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > longestBuildMs) rmSync(lock, { recursive: true, force: true });
    else await delay(100);
  }
}

const stamp = join(local, "built");

/** Whether a whole build has ended since one of the files that it reads was changed. */
export function isCurrent(sources) {
  const builtMs = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return existsSync("dist/cli.js") && sources.every((file) => statSync(file).mtimeMs < builtMs);
}

export function noteBuilt() {
  writeFileSync(stamp, "");
}
