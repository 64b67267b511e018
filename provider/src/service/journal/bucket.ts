import pLimit from "p-limit";
import type { Bucket } from "../bucket";
import { mostBytes, mostNoteBytes, mostNotes, noteFile, noteKey, startOfName, unreadable } from "./note";
import type { JournalStore } from "./store";

const notesAtOnce = 50;

/** A journal with one object per note. The store writes or deletes an object atomically. */
export function journalInBucket(bucket: Pick<Bucket, "deadline" | "keys" | "get" | "put" | "remove">): JournalStore {
  return {
    async readAll() {
      const signal = bucket.deadline();
      const isNote = (file: string) => noteKey(file) !== undefined;
      const files = await bucket.keys(startOfName, isNote, mostNotes, signal);
      const keys = files.flatMap((file) => noteKey(file) ?? []);
      let left = mostBytes;
      // An unreadable note (e.g. of an object that is encrypted for others) must not hide the other notes.
      const read = async (key: string) => {
        const bytes =
          left < 0 ? unreadable : await bucket.get(noteFile(key), mostNoteBytes, signal).catch(() => unreadable);
        left -= bytes?.length ?? 0;
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
