import { attempt } from "../../describe-thrown";
import { dayMs } from "../../rules/time";

export const noteLifeMs = 2 * dayMs;
/** The bounds on reading a journal, because others may be able to write to it. */
export const mostNoteBytes = 256 * 1024;
export const mostNotes = 50_000;
export const mostBytes = 64 * 1024 * 1024;

export const startOfName = "cloudvoice-";

/** The name of a note's file or object. The prefix is needed because the folder or bucket may have other files too. */
export function noteFile(key: string): string {
  return `${startOfName}${key}.json`;
}

/** The key of a note, from the name of its file or object. Undefined for any other file. */
export function noteKey(file: string): string | undefined {
  return /^cloudvoice-([0-9a-f]{32})\.json$/.exec(file)?.[1];
}

export interface JournalNote extends Partial<CreateFacts> {
  sentAtMs: number;
  /**
   * The bytes of all bodies under way when the request was sent, because it may have taken as long as all of them. Once
   * read, the note counts later bodies too (`addLaterBodies`).
   */
  bytesUnderWay?: number;
  /** The id of the object that the service created. Set once the response has arrived. */
  id?: string;
  /** The run that sent the request got no usable response and has given up. No outcome will follow. */
  gaveUp?: true;
  /** The service responded with success, but the response could not be read. The request was probably billed. */
  isUnread?: true;
  /** Data for the next run as JSON, e.g. the answers of a decision. */
  result?: string;
  /**
   * Never stored. The note can't be read, is not sealed, or is sealed with another API key or for another request. It
   * proves nothing. But the request may have been paid for, so a person is asked. For a voice, the list decides.
   */
  unproven?: true;
}

/** The additional facts in the note of a voice's create. */
export interface CreateFacts {
  /** The label of the resource. */
  label: string;
  /** The voices that may have this name in the lists read before the request. No clock of the service is needed. */
  before: readonly string[];
  /** A state had the voice. If a create without that state finds this, the state was lost, or the stack renamed. */
  isHeld?: true | undefined;
  /** A delete of the voice was begun, so a list that is late may show the voice although it is gone. */
  isLeaving?: true | undefined;
}

export type VoiceNote = JournalNote & CreateFacts;

/** A store returns this text for a note that it can't read. */
export const unreadable = "can't be read";

/** The field `note` of every note. A file without it is of another program, and is neither read nor removed. */
export const marker = "pulumi-cloudvoice journal";

/** The text that a seal authenticates. It lacks the journal's location, because a pipeline's cache may move it. */
export const aboutNote = (key: string, sentAtMs: number) => JSON.stringify([marker, key, sentAtMs]);

export interface StoredNote {
  sentAtMs: number;
  /** Whether the note stays until its voice is gone. All others expire. */
  stays?: boolean;
  seal?: unknown;
}

/** The note in a text. Undefined for any other text, e.g. one that a full disk cut. */
export function storedNote(text = ""): StoredNote | undefined {
  const { note, ...fields } = attempt(() => JSON.parse(text) as Partial<StoredNote> & { note?: unknown }) ?? {};
  return note === marker && typeof fields.sentAtMs === "number" ? (fields as StoredNote) : undefined;
}

/**
 * Removes the seal from a note that is part of a change under review. The author of the change may have copied a note
 * of an earlier run, whose seal is still valid.
 */
export function withoutSeal(text: string): string | undefined {
  if (text === unreadable) return text;
  const stored = storedNote(text);
  return stored && JSON.stringify({ ...stored, note: marker, seal: undefined });
}

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
