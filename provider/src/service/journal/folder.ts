import { existsSync, lstatSync } from "node:fs";
import { lstat, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { describeThrown } from "../../describe-thrown";
import { CloudVoiceError } from "../../errors";
import { makeFolder, partName, readRegularFile, replaceFile, replaceFileOnDisk, syncFolder } from "../../files";
import { trackedFiles } from "../../git";
import { loadedAfterCall, once } from "../../once";
import { undefinedIf } from "../bucket";
import {
  type JournalStore,
  mostBytes,
  mostNoteBytes,
  mostNotes,
  noteFile,
  noteKey,
  noteLifeMs,
  storedNote,
  unreadable,
  withoutSeal,
} from "./note";

export function journalInFolder(folder: string): JournalStore {
  const readNote = (file: string) => {
    const path = join(folder, file);
    try {
      const isTooLong = () => (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) > mostNoteBytes;
      return readRegularFile(path, mostNoteBytes)?.toString() ?? (isTooLong() ? unreadable : undefined);
    } catch (error) {
      // If the file exists, it can't be read, e.g. because it belongs to another person. If it seems not to exist, the
      // folder may be unreadable, and then nothing is known about the file.
      if (!existsSync(path)) throw error;
      return unreadable;
    }
  };
  const tracked = once(() => trackedFiles(folder).catch((error: unknown) => describeThrown(error).message));
  const shown = async (file: string, text: string | undefined) => {
    const ofChange = await tracked();
    return text !== undefined && (typeof ofChange === "string" || ofChange.has(file.toLowerCase()))
      ? withoutSeal(text)
      : text;
  };
  // All writes share one sync of the folder. The ignored errors come from systems that save the names by themselves.
  const syncNames = loadedAfterCall(() => syncFolder(folder).catch(undefinedIf("EPERM", "EISDIR", "EINVAL")));
  return {
    async readAll() {
      const notes = new Map<string, string>();
      const files = (await readdir(folder).catch(undefinedIf("ENOENT"))) ?? [];
      if (files.filter(noteKey).length > mostNotes) throw new CloudVoiceError(`there are more than ${mostNotes} notes`);
      let room = mostBytes;
      for (const file of files) {
        const key = noteKey(file);
        const text = key === undefined ? undefined : room < 0 ? unreadable : await shown(file, readNote(file));
        room -= text?.length ?? 0;
        if (key !== undefined && text !== undefined) notes.set(key, text);
        // Remove a note that a killed run wrote completely but did not rename.
        else if (partName.test(file) && (await isOld(join(folder, file))) && storedNote(readNote(file)) !== undefined)
          await removeFile(join(folder, file));
      }
      return notes;
    },
    read: async (key) => shown(noteFile(key), readNote(noteFile(key))),
    doubt: async () => {
      const ofChange = await tracked();
      return typeof ofChange === "string" ? ofChange : undefined;
    },
    async write(key, text, isSynced = false) {
      const path = join(folder, noteFile(key));
      makeFolder(folder, 0o700);
      if (isSynced) await Promise.all([replaceFileOnDisk(path, text, 0o600), syncNames()]);
      else replaceFile(path, text, 0o600);
    },
    remove: (key) => removeFile(join(folder, noteFile(key))),
  };
}

/**
 * Removes a file. Asynchronous, unlike the functions that write, because a file system may take long to free the
 * blocks. `unlink` takes a third of the time of `rm`, which examines the file first.
 */
const removeFile = (path: string) => unlink(path).catch(undefinedIf("ENOENT"));

async function isOld(path: string): Promise<boolean> {
  const about = await lstat(path).catch(() => undefined);
  return about !== undefined && Date.now() - about.mtimeMs > noteLifeMs;
}
