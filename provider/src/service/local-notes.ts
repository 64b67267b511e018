import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const keptMs = 24 * 3600 * 1000;

/**
 * Short texts that one process leaves for another on this machine, for a day. Best effort: where nothing can be written, or the
 * other process runs on another machine, nothing is found.
 */
export class LocalNotes {
  constructor(
    kind: string,
    private readonly folder = join(process.env.XDG_STATE_HOME ?? join(homedir(), ".local", "state"), "pulumi-cloudvoice", kind),
  ) {}

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
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      const file = this.file(key);
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
      // It dies of age.
    }
  }

  private file(key: string): string {
    return join(this.folder, key);
  }
}

/** One key for one matter: everything that it depends on. */
export function noteKey(...parts: unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}
