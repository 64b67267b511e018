import type { JournalStore } from "../../provider/src/service/journal/note";

/** A journal in memory. Operations that share the map share the journal. */
export function journalIn(notes: Map<string, string>): JournalStore {
  return {
    readAll: () => Promise.resolve(new Map(notes)),
    read: (key) => Promise.resolve(notes.get(key)),
    write: (key, note) => Promise.resolve(void notes.set(key, note)),
    remove: (key) => Promise.resolve(void notes.delete(key)),
  };
}
