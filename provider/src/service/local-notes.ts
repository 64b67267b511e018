import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

const keptMs = 24 * 3600 * 1000;

/**
 * Short texts that one process leaves for another on this machine, for a day. Best effort: where nothing can be written, or the
 * other process runs on another machine, nothing is found.
 */
export class LocalNotes {
  constructor(private readonly kind: string) {}

  recall(key: string, nowMs: number): string | undefined {
    try {
      const file = this.file(key);
      return nowMs - statSync(file).mtimeMs < keptMs ? readFileSync(file, "utf8") : undefined;
    } catch {
      return undefined;
    }
  }

  remember(key: string, text: string): void {
    try {
      const file = this.file(key);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(`${file}.new`, text);
      renameSync(`${file}.new`, file);
    } catch {
      // Then it is not found, as said above.
    }
  }

  forget(key: string): void {
    try {
      rmSync(this.file(key), { force: true });
    } catch {
      // Then it is too old to be found some day.
    }
  }

  /** Asked inside of each try: not every process has a home. */
  private file(key: string): string {
    return join(process.env.XDG_STATE_HOME || join(homedir(), ".local", "state"), "pulumi-cloudvoice", this.kind, key);
  }
}

/** One key for one matter: everything that it depends on. */
export function noteKey(...parts: unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}
