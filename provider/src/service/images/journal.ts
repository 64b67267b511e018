import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

/*
 * The service lists no tasks, so a task whose id was lost is lost with its price. The engine saves an id only when the create
 * ends, and a run that is killed, or ended by a second Ctrl-C, saves nothing. So the id is also written down on this machine, as soon
 * as it is known, under everything that the task was made from. It is best effort: where nothing can be written, or the next run
 * is on another machine, the task is paid for again.
 */

const note = z.object({ taskId: z.string().min(1), at: z.number() });
/** The service forgets tasks after a day. */
const keptMs = 24 * 3600 * 1000;

export class TaskJournal {
  constructor(private readonly folder = join(process.env.XDG_STATE_HOME ?? join(homedir(), ".local", "state"), "pulumi-cloudvoice", "image-tasks")) {}

  /** The task that was submitted from this machine for the very same thing, within the day. */
  recall(key: string, nowMs: number): string | undefined {
    try {
      const { taskId, at } = note.parse(JSON.parse(readFileSync(this.file(key), "utf8")));
      return nowMs - at < keptMs ? taskId : undefined;
    } catch {
      return undefined;
    }
  }

  remember(key: string, taskId: string, nowMs: number): void {
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      const file = this.file(key);
      writeFileSync(`${file}.new`, JSON.stringify({ taskId, at: nowMs }));
      renameSync(`${file}.new`, file);
    } catch {
      // Then an interrupted run can't be taken up, as said above.
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
    return join(this.folder, `${key}.json`);
  }
}

/** One key for one thing to be made: account, resource, and all that a new submission depends on. */
export function journalKey(...parts: unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}
