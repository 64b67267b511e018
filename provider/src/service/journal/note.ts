import { dayMs } from "../../rules/time";

/** Notes are removed after this time. */
export const keptMs = 2 * dayMs;
/** Bounds on reading, because others may write the journal: one note, the number of notes, all notes together. */
export const mostNoteBytes = 256 * 1024;
export const mostNotes = 50_000;
export const mostBytes = 64 * 1024 * 1024;

export const startOfName = "cloudvoice-";

/** The name of a note. A journal may be in a folder, or under a prefix of a bucket, that has other files too. */
export function noteFile(key: string): string {
  return `${startOfName}${key}.json`;
}

/** The key of a note in its file's name. Undefined for any other file. */
export function noteKey(file: string): string | undefined {
  return /^cloudvoice-([0-9a-f]{32})\.json$/.exec(file)?.[1];
}

/** What a store returns for a note that it can't read. */
export const unreadable = "can't be read";

/** Marks every note. A file without it is not ours, and is neither read nor removed. */
export const marker = "pulumi-cloudvoice journal";

/**
 * The authenticated and unencrypted part of a sealed note. It leaves out the place of the journal, because a cache may
 * move the journal.
 */
export const aboutNote = (key: string, sentAtMs: number) => JSON.stringify([marker, key, sentAtMs]);

export interface StoredNote {
  sentAtMs: number;
  seal?: unknown;
}

/** The last complete note of a text. In a folder, each new note of a key is appended to those before. */
export function storedNote(text = ""): StoredNote | undefined {
  for (const line of text.split("\n").reverse()) {
    try {
      const { note, ...fields } = JSON.parse(line) as Partial<StoredNote> & { note?: unknown };
      return note === marker && typeof fields.sentAtMs === "number" ? (fields as StoredNote) : undefined;
    } catch {
      // A full disk may have cut this line off.
    }
  }
  return undefined;
}

/**
 * Removes the seal from a note that came with a change under review: somebody may have kept a valid note to present it
 * again.
 */
export function withoutSeal(text: string): string | undefined {
  if (text === unreadable) return text;
  const stored = storedNote(text);
  return stored && JSON.stringify({ ...stored, note: marker, seal: undefined });
}
