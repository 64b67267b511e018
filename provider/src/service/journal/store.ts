/**
 * Stores the notes of a journal: short texts by key. Others may be able to write to a store, so its texts are not
 * trusted, and each note is sealed.
 */
export interface JournalStore {
  readAll(): Promise<Map<string, string>>;
  read(key: string): Promise<string | undefined>;
  /**
   * Replaces the text of this key, whole or not at all. `first`: the new text also survives a crash of the machine.
   * `next`: a crash of the machine may lose both the new text and the earlier one.
   */
  write(key: string, text: string, part?: "first" | "next"): Promise<void>;
  remove(key: string): Promise<void>;
  /** The reason if it is unknown which notes are part of a change under review. In this case no note is trusted. */
  doubt?(): Promise<string | undefined>;
}
