/**
 * Stores the notes of a journal: short texts by key. Others may be able to write to a store, so its texts are not
 * trusted, and each note is sealed.
 */
export interface JournalStore {
  readAll(): Promise<Map<string, string>>;
  read(key: string): Promise<string | undefined>;
  /**
   * Replaces the text of this key, whole or not at all. With `isSynced`, the new text survives a crash of the machine.
   * Without it, the crash may lose both the new text and the earlier one.
   */
  write(key: string, text: string, isSynced?: boolean): Promise<void>;
  remove(key: string): Promise<void>;
  /**
   * Why it is unknown which notes are part of a change under review. Then no note is trusted. Undefined if it is known.
   */
  doubt?(): Promise<string | undefined>;
}

/** A read-only view of a store: while a plan is written, nothing is noted. */
export function readOnly(store: JournalStore): JournalStore {
  const nothing = () => Promise.resolve();
  return {
    ...{ readAll: () => store.readAll(), read: (key) => store.read(key), write: nothing, remove: nothing },
    doubt: () => store.doubt?.() ?? Promise.resolve(undefined),
  };
}
