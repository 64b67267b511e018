import { createHash, createHmac } from "node:crypto";
import pLimit from "p-limit";
import stableStringify from "safe-stable-stringify";
import { describeThrown } from "../../describe-thrown";
import { once, onceSuccessful } from "../../once";
import type { Settings } from "../../rules/settings";
import { longestRequestMs } from "../uploads";
import type { Clock } from "../clock";
import { Seal } from "../seal";
import {
  aboutNote,
  type JournalNote,
  type JournalStore,
  marker,
  mostNoteBytes,
  noteLifeMs,
  storedNote,
  unreadable,
} from "./note";

const outcomePollMs = 2000;
const removalsAtOnce = 20;

/** The account that a journal belongs to. Without an API key, no note can be verified. */
type Account = Partial<Pick<Settings, "apiKey" | "voiceBaseUrl">>;

/**
 * The record of billed requests. A request is noted before it is sent, and again when its outcome is known. So the next
 * run knows of a request whose outcome the engine did not save. The note of a voice stays until the voice is gone. Any
 * other note is removed when the state has the resource, or after two days.
 *
 * A note is sealed with the API key. The seal also covers the hash that names the note (`keyOf`), so a seal that was
 * copied from another note is not valid. Nobody can compute the hash without the API key.
 */
export class Journal {
  /** The removals under way, by the note's key. A note is written again only after its removal has ended. */
  private readonly removals = new Map<string, Promise<void>>();
  /** Whether the list of notes could not be read, so the store may have notes that `notes` lacks. */
  private isIncomplete = false;
  private readonly seal = once(() => new Seal(this.account.apiKey ?? ""));

  constructor(
    private readonly store: JournalStore,
    private readonly clock: Pick<Clock, "now" | "sleep">,
    private readonly warn: (line: string) => void,
    private readonly account: Account,
    /** A warning that is logged once, before the first note is written. */
    private hint?: string,
  ) {}

  /**
   * The key of the note about a request. `parts`: everything that identifies the request. The hash depends on the API
   * key, so nobody can test a guess of the parts against the names of the notes.
   */
  keyOf(...parts: unknown[]): string {
    const hash = createHash("sha256").update(stableStringify(parts)).digest("hex").slice(0, 32);
    return createHmac("sha256", this.account.apiKey ?? "")
      .update(hash)
      .digest("hex")
      .slice(0, 32);
  }

  /** The note of an earlier run, or of an earlier attempt in this run (an `onError` hook may repeat a create). */
  readonly find = async (key: string): Promise<JournalNote | undefined> => {
    const notes = await this.notes();
    if (!this.isIncomplete || notes.has(key)) return notes.get(key);
    const text = await this.store.read(key).catch((error: unknown) => {
      // If listing is forbidden, the store also refuses to read a missing object. In this case go on reading single
      // notes. Any other failure would be repeated, so stop reading single notes.
      this.isIncomplete = describeThrown(error).code === "AccessDenied";
      return undefined;
    });
    const note = this.noteIn(key, text);
    if (note !== undefined && this.isCurrent(note)) this.remember(notes, key, note);
    return notes.get(key);
  };

  /**
   * Waits for the outcome of a request that an earlier attempt sent, until the request was certainly given up. If only the
   * engine was killed, its provider process goes on and notes the outcome. If there is a wait, `onWait` is called once
   * before it, with the longest duration.
   */
  async awaitOutcome(
    key: string,
    requestTimeoutMs: number,
    onWait: (waitMs: number) => void,
  ): Promise<JournalNote | undefined> {
    let note = await this.find(key);
    if (note === undefined || isSettled(note)) return note;
    const untilMs = note.sentAtMs + longestRequestMs(requestTimeoutMs, note.bytesUnderWay);
    if (this.clock.now() < untilMs) onWait(untilMs - this.clock.now());
    while (note !== undefined && !isSettled(note) && this.clock.now() < untilMs) {
      await this.clock.sleep(Math.min(outcomePollMs, untilMs - this.clock.now()));
      // A failed read proves nothing. If the note is gone, the request has ended.
      const text = await this.store.read(key).catch(() => unreadable);
      if (text !== unreadable) note = this.noteIn(key, text);
    }
    if (note !== undefined) this.remember(await this.notes(), key, note);
    return note;
  }

  async write(key: string, note: JournalNote, isSynced = false): Promise<void> {
    const notes = await this.notes();
    if (this.hint !== undefined) this.warn(this.hint);
    this.hint = undefined;
    await this.removals.get(key);
    this.remember(notes, key, note);
    let text = this.textOf(key, note);
    // The answers to very many questions may make a note too long. Then omit them. After a kill, the next run asks a
    // person before it pays again.
    if (text.length > mostNoteBytes) {
      const { result: _, ...others } = note;
      text = this.textOf(key, { ...others, isUnread: true });
    }
    await this.store.write(key, text, isSynced).catch((error: unknown) => this.warnOfStore("written", error));
  }

  /** Removes the notes about the object with this id, e.g. because the state has the object. */
  async forgetId(id: string): Promise<void> {
    const notes = await this.notes();
    for (const key of [...notes.keys()]) if (notes.get(key)?.id === id) await this.remove(key);
  }

  async remove(key: string): Promise<void> {
    if (!(await this.notes()).delete(key)) return;
    const removal = this.store.remove(key).catch((error: unknown) => this.warnOfStore("written", error));
    this.removals.set(key, removal);
    await removal;
    this.removals.delete(key);
  }

  private readonly notes = onceSuccessful(async (): Promise<Map<string, JournalNote>> => {
    const stored = await this.store.readAll().catch((error: unknown) => {
      this.isIncomplete = true;
      this.warnOfStore("read", error);
      return new Map<string, string>();
    });
    const doubt = await this.store.doubt?.();
    if (doubt !== undefined) this.warn(`${doubt}. ${doubtfulNotes}`);
    if ([...stored.values()].includes(unreadable)) this.warn(unreadableNotes);
    const notes = new Map<string, JournalNote>();
    const expired: string[] = [];
    for (const [key, text] of stored) {
      const note = this.noteIn(key, text);
      if (note === undefined) continue;
      if (this.isCurrent(note)) this.remember(notes, key, note);
      else expired.push(key);
    }
    addLaterBodies(notes);
    // Do not wait until the notes are removed: no request depends on it, and a bucket may have thousands of notes.
    const limit = pLimit(removalsAtOnce);
    for (const key of expired) void limit(() => this.store.remove(key)).catch(() => undefined);
    return notes;
  });

  /** Whether the note has not expired. The clock of the machine that wrote it may be ahead or behind. */
  private isCurrent({ sentAtMs, label }: JournalNote): boolean {
    return label !== undefined || Math.abs(this.clock.now() - sentAtMs) < noteLifeMs;
  }

  private remember(notes: Map<string, JournalNote>, key: string, note: JournalNote): void {
    // The clock of the machine that wrote the note may be ahead.
    notes.set(key, { ...note, sentAtMs: Math.min(note.sentAtMs, this.clock.now()) });
  }

  private textOf(key: string, { sentAtMs, ...content }: JournalNote): string {
    const seal = this.seal().close(JSON.stringify(content), aboutNote(key, sentAtMs));
    return JSON.stringify({ note: marker, sentAtMs, ...(content.label !== undefined && { stays: true }), seal });
  }

  private noteIn(key: string, text: string | undefined): JournalNote | undefined {
    // The name depends on the API key, so if a look-up finds this note, this account wrote it.
    if (text === unreadable) return { sentAtMs: this.clock.now(), unproven: true };
    const stored = storedNote(text);
    if (stored === undefined) return undefined;
    const { sentAtMs, seal, stays } = stored;
    const content = typeof seal === "string" ? this.seal().open(seal, aboutNote(key, sentAtMs)) : undefined;
    if (content !== undefined) return { ...(JSON.parse(content) as object), sentAtMs };
    // The note of a voice is ignored if its seal is not valid: a person is asked about the voice itself.
    return stays ? undefined : { sentAtMs, unproven: true };
  }

  private warnOfStore(what: "read" | "written", error: unknown): void {
    const mayPayAgain =
      what === "read"
        ? "If an earlier run was killed, this run may pay again for what the earlier run created. "
        : "If this run is killed, the next run may pay again for what this run created. ";
    this.warn(
      `the journal can't be ${what} (${describeThrown(error).code || describeThrown(error).message}). ` +
        `${mayPayAgain}Set cloudvoice:journal to a folder or a bucket that can be read and written.`,
    );
  }
}

/** Whether nobody will change the note any more. */
function isSettled({ id, gaveUp, unproven }: JournalNote): boolean {
  return id !== undefined || gaveUp === true || unproven === true;
}

/** Adds later bodies to each note: they shared the line with that note's request. */
function addLaterBodies(notes: ReadonlyMap<string, JournalNote>): void {
  let most = 0;
  for (const note of [...notes.values()].sort((a, b) => b.sentAtMs - a.sentAtMs)) {
    most = Math.max(most, note.bytesUnderWay ?? 0);
    if (most > 0) note.bytesUnderWay = most;
  }
}

const unreadableNotes =
  "some notes of the journal can't be read. If such a note is about an image or a decision of this run, the run asks a " +
  "question before it sends the request again";

const doubtfulNotes =
  "So the notes of the journal in this checkout may be committed files, and the run asks before it repeats an " +
  "interrupted request. Install Git, or set cloudvoice:journal to a folder outside the checkout";
