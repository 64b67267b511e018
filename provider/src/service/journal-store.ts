import { resolve } from "node:path";
import { InputError } from "../errors";
import { parseStorage } from "../rules/storage";
import { type Bucket, type BucketOptions, missingClientProblem, openBucket } from "./bucket";
import { defaultJournalFolder, journalInFolder, type JournalStore, noteFile, noteKey } from "./journal";

/** Where the setting `journal` says. A relative path starts at the program's folder. */
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
export function journalInBucket(bucket: Pick<Bucket, "keys" | "get" | "put" | "remove">): JournalStore {
  return {
    async readAll() {
      const keys = (await bucket.keys()).flatMap((key) => noteKey(key) ?? []);
      const texts = await Promise.all(keys.map((key) => bucket.get(noteFile(key))));
      // Another run may have removed a note since it was listed.
      return new Map(keys.flatMap((key, index) => (texts[index] ? [[key, texts[index].toString()] as const] : [])));
    },
    write: (key, note) => bucket.put(noteFile(key), note, "application/json"),
    remove: (key) => bucket.remove(noteFile(key)),
  };
}
