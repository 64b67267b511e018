import { createHash, createHmac } from "node:crypto";
import pLimit from "p-limit";
import stableStringify from "safe-stable-stringify";
import { lstatSync } from "node:fs";
import { lstat, readdir, unlink } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { describeThrown } from "../describe-thrown";
import { CloudVoiceError, InputError } from "../errors";
import { trackedFiles } from "../git";
import { addLine, makeFolder, partName, readRegularFile, replaceFile, replaceFileOnDisk, syncFolder } from "../files";
import { loadedAfterCall, once, onceSuccessful } from "../once";
import { parseStorage } from "../rules/storage";
import { dayMs } from "../rules/time";
import type { Settings } from "../rules/settings";
import { type Bucket, type BucketOptions, missingClientProblem, openBucket, undefinedIf } from "./bucket";
import type { Clock } from "./clock";
import type { SeenStore } from "./responses/seen-fields";
import { Seal } from "./seal";

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

const keptMs = 2 * dayMs;
const outcomePollMs = 2000;
/** Bounds on reading, because others may write the journal: one note, the number of notes, all notes together. */
const mostNoteBytes = 256 * 1024;
const mostNotes = 50_000;
const mostBytes = 64 * 1024 * 1024;
const notesAtOnce = 50;

const startOfName = "cloudvoice-";

/** The name of a note. A journal may be in a folder, or under a prefix of a bucket, that has other files too. */
export function noteFile(key: string): string {
  return `${startOfName}${key}.json`;
}

/** The key of the note that a file has by its name; undefined for every other file. */
function noteKey(file: string): string | undefined {
  return /^cloudvoice-([0-9a-f]{32})\.json$/.exec(file)?.[1];
}

const unreadable = "can't be read";

export function journalInFolder(folder: string): JournalStore {
  const readNote = (file: string) => {
    try {
      const path = join(folder, file);
      const isTooLong = () => (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) > mostNoteBytes;
      return readRegularFile(path, mostNoteBytes)?.toString() ?? (isTooLong() ? unreadable : undefined);
    } catch {
      // Another person may own the file. The other files are read, and the journal reports it.
      return unreadable;
    }
  };
  const tracked = once(() => trackedFiles(folder).catch((error: unknown) => describeThrown(error).message));
  const shown = async (file: string, text: string | undefined) => {
    const ofChange = await tracked();
    return text !== undefined && (typeof ofChange === "string" || ofChange.has(file)) ? withoutSeal(text) : text;
  };
  // All notes that wait share one sync. Systems that can't sync a folder keep its entries by themselves.
  const syncNames = loadedAfterCall(() => syncFolder(folder).catch(undefinedIf("EPERM", "EISDIR", "EINVAL")));
  return {
    async readAll() {
      const notes = new Map<string, string>();
      const files = (await readdir(folder).catch(undefinedIf("ENOENT"))) ?? [];
      if (files.filter(noteKey).length > mostNotes) throw new CloudVoiceError(`there are more than ${mostNotes} notes`);
      let left = mostBytes;
      for (const file of files) {
        const key = noteKey(file);
        const text = key === undefined ? undefined : left < 0 ? unreadable : await shown(file, readNote(file));
        left -= text?.length ?? 0;
        if (key !== undefined && text !== undefined) notes.set(key, text);
        // A whole note that a killed run did not rename.
        else if (partName.test(file) && (await isOld(join(folder, file))) && storedNote(readNote(file)) !== undefined)
          await removeFile(join(folder, file));
      }
      return notes;
    },
    read: (key) => shown(noteFile(key), readNote(noteFile(key))),
    doubt: async () => {
      const ofChange = await tracked();
      return typeof ofChange === "string" ? ofChange : undefined;
    },
    async write(key, text, part) {
      const path = join(folder, noteFile(key));
      await Promise.resolve();
      makeFolder(folder, 0o700);
      if (part === "first") await Promise.all([replaceFileOnDisk(path, text, 0o600), syncNames()]);
      else if (part !== "next" || !addLine(path, text, mostNoteBytes)) replaceFile(path, text, 0o600);
    },
    remove: (key) => removeFile(join(folder, noteFile(key))),
  };
}

/**
 * Asynchronous, unlike writing: a file system may take a while to free the blocks. Takes a third of the time of `rm`,
 * which looks at the file first.
 */
const removeFile = (path: string) => unlink(path).catch(undefinedIf("ENOENT"));

async function isOld(path: string): Promise<boolean> {
  const about = await lstat(path).catch(() => undefined);
  return about !== undefined && Date.now() - about.mtimeMs > keptMs;
}

/** The folder in which this package keeps data between runs, by XDG. */
export function stateFolder({ XDG_STATE_HOME }: NodeJS.ProcessEnv = process.env): string {
  return join(XDG_STATE_HOME || join(homedir(), ".local", "state"), "pulumi-cloudvoice");
}

/** The folder that is used when no other is set. */
export function defaultJournalFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return join(stateFolder(environment), "journal");
}

/**
 * The advice for a pipeline whose journal is lost with its runner. Undefined if the journal is set, or outside of a
 * pipeline.
 */
export function lostJournalHint(journal: string | undefined, { CI }: NodeJS.ProcessEnv): string | undefined {
  if (journal !== undefined || !CI) return undefined;
  return (
    "this pipeline keeps no journal, so the run after a killed one can't recognise what was created. Set a bucket, " +
    "CLOUDVOICE_JOURNAL=s3://bucket/prefix?region=eu-central-1, or a folder that the pipeline's cache keeps, " +
    "CLOUDVOICE_JOURNAL=.cloudvoice-journal"
  );
}

/** Opens the journal that the setting `journal` names. A relative path starts at the program's folder. */
export function openJournalStore(
  journal: string | undefined,
  options: BucketOptions,
): JournalStore & { place: string } {
  const storage = parseStorage(journal ?? defaultJournalFolder());
  if ("problem" in storage) throw new InputError(`settings: cloudvoice:journal ${storage.problem}`);
  if ("bucket" in storage) {
    const problem = missingClientProblem(options.programFolder);
    if (problem !== undefined) throw new InputError(`settings: cloudvoice:journal ${problem}`);
    const { bucket, prefix } = storage.bucket;
    return { ...journalInBucket(openBucket(storage.bucket, options)), place: `s3://${bucket}/${prefix}` };
  }
  const folder = resolve(options.programFolder, storage.folder);
  return { ...journalInFolder(folder), place: folder };
}

/** An object per note. A put or a delete of one object is atomic. */
export function journalInBucket(bucket: Pick<Bucket, "deadline" | "keys" | "get" | "put" | "remove">): JournalStore {
  return {
    async readAll() {
      const signal = bucket.deadline();
      const keys = (await bucket.keys(startOfName, mostNotes, signal)).flatMap((key) => noteKey(key) ?? []);
      let left = mostBytes;
      // An object may be encrypted for others, or never end. The others are read, and the journal reports it.
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

/** The account of a journal. Without a key, no note can be verified. */
type Account = Partial<Pick<Settings, "apiKey" | "voiceBaseUrl">>;

/** Stores the fields that the lists of an account showed. It is no note: it does not expire. */
export function seenStoreIn(store: Pick<JournalStore, "read" | "write">, { voiceBaseUrl, apiKey }: Account): SeenStore {
  const key = `seen-${keyedHash(apiKey, "seen", voiceBaseUrl)}`;
  const seal = new Seal(apiKey ?? "");
  return {
    read: async () => {
      const text = await store.read(key);
      return text && seal.open(text, key);
    },
    write: (text) => store.write(key, seal.close(text, key)),
  };
}

export interface JournalNote {
  sentAtMs: number;
  /** The id of what the service created, once the response has come. */
  id?: string;
  /** The run that sent the request has ended without an outcome. No later one can come. */
  lost?: true;
  /** The service answered with success, and the answer could not be read: the request was probably billed. */
  answered?: true;
  /** Data for the next run. */
  result?: string;
  /**
   * Its writer did not know which of several stacks it belonged to. So a stack that finds the note can't tell whose
   * request it was.
   */
  isShared?: true;
  /**
   * Never stored. The note is not sealed, or sealed with another key or for another request: an earlier release wrote
   * it, or somebody else. It proves nothing, but the request may have been paid for, so a person is asked.
   */
  unproven?: true;
}

/**
 * Notes each billed request before it is sent and when its outcome is known, so that the next run knows about a request
 * whose outcome the engine did not save. A note is removed once the state has the resource, or after two days. A note
 * is sealed with the API key. The seal also covers the note's own key, a hash that only the API key can produce.
 */
export class Journal {
  /** The keys of notes by the id of their resource: `diff` removes the notes of a resource that the state has. */
  private readonly keysOf = new Map<string, string[]>();
  /** Removals under way by key: a note that is written again must not be removed by an earlier one. */
  private readonly removals = new Map<string, Promise<void>>();
  private hasUnproven = false;
  private readonly seal: Seal;

  constructor(
    private readonly store: JournalStore,
    private readonly clock: Pick<Clock, "now" | "sleep">,
    private readonly warn: (line: string) => void,
    private readonly account: Account,
    /** Warned of once, with the first note. */
    private hint?: string,
  ) {
    this.seal = new Seal(account.apiKey ?? "");
  }

  /**
   * The key of the note about a request with these parts. It is a keyed hash, so a reader of the notes' names can't
   * test guesses.
   */
  keyOf(...parts: unknown[]): string {
    return keyedHash(this.account.apiKey, ...parts);
  }

  /** The note of an earlier run, or of an earlier attempt in this run: a hook `onError` may repeat a failed create. */
  readonly find = async (key: string) => (await this.notes()).get(key);

  /**
   * Waits for the outcome of a request that an earlier attempt sent, until `timeoutMs` after it was sent: if the engine
   * alone was killed, its provider process goes on and notes it. `onWait` is called once before waiting, with the
   * maximum wait.
   */
  async awaitOutcome(
    key: string,
    timeoutMs: number,
    onWait: (leftMs: number) => void = () => undefined,
  ): Promise<JournalNote | undefined> {
    let note = await this.find(key);
    if (note === undefined || isSettled(note)) return note;
    const untilMs = note.sentAtMs + timeoutMs;
    if (this.clock.now() < untilMs) onWait(untilMs - this.clock.now());
    while (note !== undefined && !isSettled(note) && this.clock.now() < untilMs) {
      await this.clock.sleep(Math.min(outcomePollMs, untilMs - this.clock.now()));
      // A failed read proves nothing. An absent note proves that the request has ended.
      const text = await this.store.read(key).catch(() => unreadable);
      if (text !== unreadable) note = this.noteIn(key, text);
    }
    if (note !== undefined) this.remember(await this.notes(), key, note);
    return note;
  }

  /**
   * Whether an earlier run or this one noted anything under this key. Includes other processes since this one began.
   */
  async has(key: string): Promise<boolean> {
    if (isProven((await this.notes()).get(key))) return true;
    const text = await this.store.read(key).catch((error: unknown) => this.warnOfStore("read", error));
    return isProven(this.noteIn(key, text ?? undefined));
  }

  async write(key: string, note: JournalNote, isSynced = false): Promise<void> {
    const notes = await this.notes();
    if (this.hint !== undefined) this.warn(this.hint);
    this.hint = undefined;
    // Such a note belongs to a request that is about to be sent, so warn before it.
    if (isSynced && this.hasUnproven) this.warn(unprovenNotes);
    this.hasUnproven &&= !isSynced;
    await this.removals.get(key);
    this.remember(notes, key, note);
    let text = this.textOf(key, note);
    // The answers to very many questions. Without them, a run after a kill asks a person before it pays again.
    if (text.length > mostNoteBytes) {
      const { result: _, ...others } = note;
      text = this.textOf(key, { ...others, answered: true });
    }
    await this.store
      .write(key, text, isSynced ? "first" : "next")
      .catch((error: unknown) => this.warnOfStore("written", error));
  }

  /**
   * Removes the notes about the object with this id. A note of an interrupted replacement with equal content stays,
   * because it is about another object.
   */
  async forgetId(id: string): Promise<void> {
    const notes = await this.notes();
    for (const key of this.keysOf.get(id) ?? []) if (notes.get(key)?.id === id) await this.remove(key);
    this.keysOf.delete(id);
  }

  /** Notes that the voice was deleted: the service's list may show it for some time, and no resource may take it. */
  async noteDeleted(voice: string): Promise<void> {
    await this.forgetId(voice);
    // A note of its own for each voice, because voices with one name may be deleted one after the other.
    await this.write(this.deletionKey(voice), { sentAtMs: this.clock.now() });
  }

  /** Whether a run of the last two days deleted the voice. The service's list may show it for some time. */
  wasDeleted(voice: string): Promise<boolean> {
    return this.has(this.deletionKey(voice));
  }

  private deletionKey(voice: string): string {
    return this.keyOf("deleted", this.account.voiceBaseUrl, voice);
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
      this.warnOfStore("read", error);
      return new Map<string, string>();
    });
    const doubt = await this.store.doubt?.();
    if (doubt !== undefined) this.warn(`${doubt}. ${doubtfulNotes}`);
    const notes = new Map<string, JournalNote>();
    for (const [key, text] of stored) {
      const note = this.noteIn(key, text);
      // Not ours, whatever its name is.
      if (text === unreadable) this.warnOfStore("read", new Error("one of its notes"));
      if (note === undefined) continue;
      const nowMs = this.clock.now();
      // The clock of another machine may be wrong in either direction. Nothing was sent in the future.
      if (Math.abs(nowMs - note.sentAtMs) < keptMs) {
        this.remember(notes, key, { ...note, sentAtMs: Math.min(note.sentAtMs, nowMs) });
        this.hasUnproven ||= note.unproven === true;
      } else await this.store.remove(key).catch(() => undefined);
    }
    return notes;
  });

  private remember(notes: Map<string, JournalNote>, key: string, note: JournalNote): void {
    notes.set(key, note);
    if (note.id !== undefined) this.keysOf.set(note.id, [...(this.keysOf.get(note.id) ?? []), key]);
  }

  private textOf(key: string, { sentAtMs, ...content }: JournalNote): string {
    const seal = this.seal.close(JSON.stringify(content), aboutNote(key, sentAtMs));
    return JSON.stringify({ note: marker, sentAtMs, seal });
  }

  private noteIn(key: string, text: string | undefined): JournalNote | undefined {
    const stored = storedNote(text);
    if (stored === undefined) return undefined;
    const { sentAtMs, seal, id } = stored;
    const content = typeof seal === "string" ? this.seal.open(seal, aboutNote(key, sentAtMs)) : undefined;
    if (content !== undefined) return { ...(JSON.parse(content) as object), sentAtMs };
    // Keep the id, so that a note of an earlier release is removed once the state has its object.
    return { sentAtMs, unproven: true, ...(typeof id === "string" && { id }) };
  }

  private warnOfStore(what: "read" | "written", error: unknown): void {
    this.warn(
      `the journal can't be ${what} (${describeThrown(error).code || describeThrown(error).message}). ` +
        "If this run is killed, the next one may pay again for what this one created. " +
        "Set cloudvoice:journal to a folder or a bucket that can be written.",
    );
  }
}

/** Whether the note is final. */
function isSettled({ id, lost, unproven }: JournalNote): boolean {
  return id !== undefined || lost === true || unproven === true;
}

function isProven(note: JournalNote | undefined): boolean {
  return note !== undefined && note.unproven !== true;
}

/** Marks every note. A file without it is not ours, and is neither read nor removed. */
const marker = "pulumi-cloudvoice journal";

/**
 * The authenticated and unencrypted part of a sealed note. It leaves out the place of the journal, because a cache may
 * move it.
 */
const aboutNote = (key: string, sentAtMs: number) => JSON.stringify([marker, key, sentAtMs]);

const unprovenNotes =
  "the journal has notes that are not sealed with this API key: of another key, of an earlier release, or of somebody " +
  "else. They prove nothing, and expire after two days. If a run with another key was killed, finish one with that key " +
  "first";

const doubtfulNotes =
  "So the notes of the journal there prove nothing, and a person is asked about interrupted requests. Install Git, or " +
  "set cloudvoice:journal to a folder outside of the checkout";

interface StoredNote {
  sentAtMs: number;
  seal?: unknown;
  /** In notes of earlier releases. */
  id?: unknown;
}

/** The last note of a text that is whole: in a folder, each is added to those before. */
function storedNote(text = ""): StoredNote | undefined {
  for (const line of text.split("\n").reverse()) {
    try {
      const { note, ...fields } = JSON.parse(line) as Partial<StoredNote> & { note?: unknown };
      return note === marker && typeof fields.sentAtMs === "number" ? (fields as StoredNote) : undefined;
    } catch {
      // A full disk may have left a part of it.
    }
  }
  return undefined;
}

/**
 * Removes the seal from a note that a change has brought along: somebody may have kept a valid note to present it
 * again.
 */
function withoutSeal(text: string): string | undefined {
  if (text === unreadable) return text;
  const stored = storedNote(text);
  return stored && JSON.stringify({ ...stored, note: marker, seal: undefined });
}

/**
 * A hash of everything that a request depends on. Earlier releases used it unkeyed as the key of notes about voices.
 */
export function journalKey(...parts: unknown[]): string {
  return createHash("sha256").update(stableStringify(parts)).digest("hex").slice(0, 32);
}

/** Needs the API key to compute. */
function keyedHash(apiKey: string | undefined, ...parts: unknown[]): string {
  return createHmac("sha256", apiKey ?? "")
    .update(journalKey(...parts))
    .digest("hex")
    .slice(0, 32);
}
