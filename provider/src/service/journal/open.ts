import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { InputError } from "../../errors";
import { parseStorage } from "../../rules/storage";
import { Bucket, type BucketOptions, missingClientProblem } from "../bucket";
import { journalInFolder } from "./folder";
import {
  type JournalStore,
  mostBytes,
  mostNoteBytes,
  mostNotes,
  noteFile,
  noteKey,
  startOfName,
  unreadable,
} from "./note";
import pLimit from "p-limit";

/** The folder in which pulumi-cloudvoice keeps data between runs, according to the XDG specification. */
export function stateFolder({ XDG_STATE_HOME }: NodeJS.ProcessEnv = process.env): string {
  return join(XDG_STATE_HOME || join(homedir(), ".local", "state"), "pulumi-cloudvoice");
}

/** The warning for a pipeline that loses its journal. Undefined if the setting `journal` is set. */
export function lostJournalHint(journal: string | undefined, { CI }: NodeJS.ProcessEnv): string | undefined {
  if (journal !== undefined || !CI) return undefined;
  return (
    "this pipeline does not keep the journal. If a run is killed, the next run can't recognise what it created. Use a " +
    "bucket (CLOUDVOICE_JOURNAL=s3://bucket/prefix?region=eu-central-1), or a folder that the pipeline's cache keeps " +
    "(CLOUDVOICE_JOURNAL=.cloudvoice-journal)"
  );
}

/** Opens the journal at the place that the setting `journal` names. By default, it is a folder in `stateFolder`. */
export function openJournalStore(
  journal: string | undefined,
  options: BucketOptions,
): JournalStore & { place: string } {
  const storage = parseStorage(journal ?? join(stateFolder(), "journal"));
  if ("problem" in storage) throw new InputError(`settings: cloudvoice:journal ${storage.problem}`);
  if ("bucket" in storage) {
    const problem = missingClientProblem(options.programFolder);
    if (problem !== undefined) throw new InputError(`settings: cloudvoice:journal ${problem}`);
    const { bucket, prefix } = storage.bucket;
    return { ...journalInBucket(new Bucket(storage.bucket, options)), place: `s3://${bucket}/${prefix}` };
  }
  const folder = resolve(options.programFolder, storage.folder);
  return { ...journalInFolder(folder), place: folder };
}

const notesAtOnce = 50;

/** A journal with one object per note. The store writes or deletes an object atomically. */
export function journalInBucket(bucket: Pick<Bucket, "deadline" | "keys" | "get" | "put" | "remove">): JournalStore {
  return {
    async readAll() {
      const signal = bucket.deadline();
      const isNote = (file: string) => noteKey(file) !== undefined;
      const files = await bucket.keys(startOfName, isNote, mostNotes, signal);
      const keys = files.flatMap((file) => noteKey(file) ?? []);
      let room = mostBytes;
      // An unreadable note (e.g. of an object that is encrypted for others) must not hide the other notes.
      const read = async (key: string) => {
        const bytes =
          room < 0 ? unreadable : await bucket.get(noteFile(key), mostNoteBytes, signal).catch(() => unreadable);
        room -= bytes?.length ?? 0;
        return bytes?.toString();
      };
      const limit = pLimit(notesAtOnce);
      const texts = await Promise.all(keys.map((key) => limit(read, key)));
      // Skip a note that another run has removed since the list was read.
      return new Map(keys.flatMap((key, index) => (texts[index] ? [[key, texts[index]] as const] : [])));
    },
    read: async (key) => (await bucket.get(noteFile(key), mostNoteBytes))?.toString(),
    write: (key, note) => bucket.put(noteFile(key), note, "application/json"),
    remove: (key) => bucket.remove(noteFile(key)),
  };
}
