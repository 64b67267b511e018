/**
 * Where notes about billed requests are kept, so that a run that is killed does not pay twice. A store holds short texts by key. It
 * keeps no inputs, prompts or keys: hashes, names, times and ids only.
 */
export interface JournalStore {
  /** Every note that was not removed. */
  readAll(): Promise<Map<string, string>>;
  /** Replaces the note of this key, whole or not at all. */
  write(key: string, note: string): Promise<void>;
  remove(key: string): Promise<void>;
}
