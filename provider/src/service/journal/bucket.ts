import pLimit from "p-limit";
import type { Bucket } from "../bucket";
import { mostBytes, mostNoteBytes, mostNotes, noteFile, noteKey, startOfName, unreadable } from "./note";
import type { JournalStore } from "./store";

const notesAtOnce = 50;

/** An object per note. A put or a delete of one object is atomic. */
export function journalInBucket(bucket: Pick<Bucket, "deadline" | "keys" | "get" | "put" | "remove">): JournalStore {
  return {
    async readAll() {
      const signal = bucket.deadline();
      const isNote = (file: string) => noteKey(file) !== undefined;
      const files = await bucket.keys(startOfName, isNote, mostNotes, signal);
      const keys = files.flatMap((file) => noteKey(file) ?? []);
      let left = mostBytes;
      // An object may be encrypted for others, or never end. Such a note counts as unreadable, and the other notes are
      // read.
      const read = async (key: string) => {
        const bytes =
          left < 0 ? unreadable : await bucket.get(noteFile(key), mostNoteBytes, signal).catch(() => unreadable);
        left -= bytes?.length ?? 0;
        return bytes?.toString();
      };
      const limit = pLimit(notesAtOnce);
      const texts = await Promise.all(keys.map((key) => limit(read, key)));
      // Another run may have removed a note since it was listed.
      return new Map(keys.flatMap((key, index) => (texts[index] ? [[key, texts[index]] as const] : [])));
    },
    read: async (key) => (await bucket.get(noteFile(key), mostNoteBytes))?.toString(),
    write: (key, note) => bucket.put(noteFile(key), note, "application/json"),
    remove: (key) => bucket.remove(noteFile(key)),
  };
}
