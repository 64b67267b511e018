/**
 * The place of the notes about billed requests, so that the run after a kill need not pay again. A store holds short
 * texts by key. Others may be able to write to it, so its texts are not trusted and each note is sealed.
 */
export interface JournalStore {
  readAll(): Promise<Map<string, string>>;
  read(key: string): Promise<string | undefined>;
  /**
   * Replaces the text of this key, whole or not at all. `first`: the text also survives a crash of the machine. `next`:
   * a crash may lose the former text of the key.
   */
  write(key: string, text: string, part?: "first" | "next"): Promise<void>;
  remove(key: string): Promise<void>;
  /** Why it is unknown which notes a change under review has brought along. Then no note is trusted. */
  doubt?(): Promise<string | undefined>;
}
