import { access, constants, lstat, realpath, stat, statfs } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { describeThrown } from "../../describe-thrown";
import { CloudVoiceError, InputError } from "../../errors";
import { makeFolder, readRegularFile, replaceFile, sha256Of } from "../../files";
import { oncePer } from "../../once";
import type { ImageOutput } from "../../rules/image";
import { type BucketLocation, isBucket, parseStorage } from "../../rules/storage";
import { Bucket, type BucketOptions, undefinedIf } from "../bucket";
import { maxImageBytes } from "./download";

/**
 * The folder or bucket in which pictures are saved. The state refers to a picture by its address, so the address must
 * be valid on every machine. It is a path relative to the program's folder, or the URL of an object.
 */
export interface PictureStore {
  addressOf(name: string): string;
  /** Called before pictures are paid for. Rejects if pictures of this total size certainly can't be saved. */
  assertUsable(bytes: number): Promise<void>;
  /** Saves the picture, whole or not at all. If there is another file at the address, keeps it and returns false. */
  save(address: string, bytes: Buffer, contentType: string): Promise<boolean>;
  /** Reads an object of a bucket only if the bucket has no hash of it, because reading costs money. */
  look(address: string, picture: Pick<ImageOutput, "sha256" | "bytes">): Promise<"whole" | "missing" | "different">;
  read(address: string): Promise<Buffer | undefined>;
  /** The place for messages. It completes the sentence "the picture is not …". */
  place: string;
}

export function pictureStore(saveTo: string, options: BucketOptions): PictureStore {
  const storage = parseStorage(saveTo);
  if ("problem" in storage) throw new InputError(`saveTo ${storage.problem}`);
  return "bucket" in storage
    ? picturesInBucket(storage.bucket, options)
    : picturesInFolder(storage.folder, options.programFolder);
}

/** The places of saved pictures, by the input `saveTo`. */
export class PictureStores {
  private readonly opened: (saveTo: string) => PictureStore;
  private readonly askBucket = oncePer((bucket: string) => this.opened(bucket).assertUsable(0));
  /** By folder or bucket: how many bytes this operation saves there at most. */
  private readonly bytesTo = new Map<string, number>();

  constructor(options: BucketOptions, open: typeof pictureStore) {
    // Once per place: a client of S3 keeps its connections open.
    this.opened = oncePer((saveTo: string) => open(saveTo, options));
  }

  at(saveTo: string | undefined): PictureStore | undefined {
    return saveTo === undefined ? undefined : this.opened(saveTo);
  }

  /** Why the place can't save `bytes` in addition to the bytes of earlier calls. Undefined if it can. */
  async problemWith(saveTo: string, bytes: number): Promise<string | undefined> {
    const ofPlace = (this.bytesTo.get(saveTo) ?? 0) + bytes;
    this.bytesTo.set(saveTo, ofPlace);
    const asked = isBucket(saveTo) ? this.askBucket(saveTo) : this.opened(saveTo).assertUsable(ofPlace);
    return asked.then(
      () => undefined,
      (error: unknown) => describeThrown(error).message,
    );
  }
}

function picturesInBucket(location: BucketLocation, options: BucketOptions): PictureStore {
  const bucket = new Bucket(location, options);
  const root = ["s3:/", location.bucket, location.prefix, ""].join("/").replace(/\/\/$/, "/");
  const keyOf = (address: string) => address.slice(root.length);
  const read = async (address: string) =>
    address.startsWith(root) ? bucket.get(keyOf(address), maxImageBytes) : undefined;
  const look: PictureStore["look"] = (address, { bytes, sha256 }) =>
    reading(async () => {
      const object = address.startsWith(root) ? await bucket.look(keyOf(address)) : undefined;
      if (!object?.bytes) return "missing";
      if (object.bytes !== bytes) return "different";
      // The bucket may have no hash of the object: earlier releases stored none, and some servers do not keep hashes.
      const hash = object.sha256 ?? sha256Of((await read(address)) ?? Buffer.alloc(0));
      return hash === sha256 ? "whole" : "different";
    });
  return {
    addressOf: (name) => root + name,
    assertUsable: () => saving(() => bucket.assertUsable()),
    save: (address, bytes, contentType) =>
      saving(async () => {
        const sha256 = sha256Of(bytes);
        const existing = await look(address, { bytes: bytes.length, sha256 }).catch((error: unknown) => {
          // The credentials may allow writing but not reading. Save the paid picture nevertheless: its name contains
          // the hash of its content, so it can't replace another picture.
          if (describeThrown(error).code !== "AccessDenied") throw error;
          return "missing";
        });
        if (existing === "missing") await bucket.put(keyOf(address), bytes, contentType, sha256);
        return existing !== "different";
      }),
    look,
    read: (address) => reading(() => read(address)),
    place: "in the bucket",
  };
}

function picturesInFolder(folder: string, programFolder: string): PictureStore {
  const root = `${folder.replace(/(?<!\/)\/+$/, "")}/`;
  const pathOf = (address: string) => resolve(programFolder, address);
  const read = (address: string) =>
    reading(async () => {
      const path = await realpath(pathOf(address)).catch(undefinedIfMissing);
      if (path === undefined) return undefined;
      if (!path.startsWith(join(await realpath(pathOf(root)), sep)))
        throw new InputError("the picture's path leads out of saveTo, e.g. by a link");
      const bytes = readRegularFile(path, maxImageBytes);
      if (bytes === undefined) throw new InputError("at the picture's path, there is no regular file of at most 64 MB");
      return bytes;
    });
  return {
    addressOf: (name) => root + name,
    assertUsable: (bytes) => saving(() => assertWritable(pathOf(root), bytes)),
    save: (address, bytes) =>
      saving(() => {
        const path = pathOf(address);
        makeFolder(dirname(path));
        const existing = readRegularFile(path, Infinity);
        if (existing?.length) return existing.equals(bytes);
        replaceFile(path, bytes);
        return true;
      }),
    async look(address, { bytes, sha256 }) {
      const about = await reading(() => stat(pathOf(address)).catch(undefinedIfMissing));
      if (!about?.isFile() || about.size === 0) return "missing";
      if (about.size !== bytes) return "different";
      const content = await read(address);
      return content !== undefined && sha256Of(content) === sha256 ? "whole" : "different";
    },
    read,
    place: "on this machine",
  };
}

/** Rejects if the folder (or the nearest existing folder above it) is not writable, or its disk is too full. */
async function assertWritable(path: string, bytes: number): Promise<void> {
  if ((await lstat(path).catch(undefinedIfMissing)) === undefined) return assertWritable(dirname(path), bytes);
  const about = await stat(path).catch(undefinedIfMissing);
  if (about?.isDirectory() !== true) throw new InputError("a part of the path is not a folder");
  await access(path, constants.W_OK);
  const { bavail, blocks, bsize } = await statfs(path);
  // Some network file systems do not report the free space.
  if (blocks > 0 && bavail * bsize < bytes)
    throw new InputError(
      `the pictures may need ${inMB(bytes)}, and the disk of saveTo has only ${inMB(bavail * bsize)} left`,
    );
}

const inMB = (bytes: number) => `${Math.ceil(bytes / 1024 / 1024)} MB`;
const undefinedIfMissing = undefinedIf("ENOENT", "ENOTDIR");

/**
 * Translates an error of the file system. Omits the picture's address, which may be secret, and the system's own text:
 * it contains absolute paths, which must not get into the state.
 */
const withoutAddress =
  (purpose: string, what: string) =>
  async <T>(work: () => Promise<T> | T): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (CloudVoiceError.is(error)) throw error.amend({ purpose });
      const { code, name } = describeThrown(error);
      throw new InputError(`saveTo: files can't be ${what} there (${code || name})`);
    }
  };
const saving = withoutAddress("saving the picture to saveTo", "written");
const reading = withoutAddress("reading the picture from saveTo", "read");
