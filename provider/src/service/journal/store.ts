/**
 * The place of the notes about billed requests, so that the run after a kill need not pay again. A store holds short
 * texts by key. Others may be able to write to it, so its texts are not trusted and each note is sealed.
 */
export interface JournalStore {
  readAll(): Promise<Map<string, string>>;
  read(key: string): Promise<string | undefined>;
  /**
   * Replaces the text of this key, whole or not at all. `first`: the text also survives a crash of the machine. `next`:
   * such a crash may lose both this text and the former one.
   */
  write(key: string, text: string, part?: "first" | "next"): Promise<void>;
  remove(key: string): Promise<void>;
  /** Why it is unknown which notes came with a change under review. Then no note is trusted. */
  doubt?(): Promise<string | undefined>;
}
