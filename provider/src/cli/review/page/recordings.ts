import { existsSync, readFileSync, realpathSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { isWithin, readRegularFile, sha256Of } from "../../../files";
import { committedFile } from "../../../git";
import { type AudioFile, audioPlace, encodedLength } from "../../../rules/audio";
import { recordings } from "../../../rules/file-formats";
import { hiddenQuery } from "../../../rules/public-url";
import { audioInspector, containerOf } from "../../../service/audio/inspect";
import type { Change } from "../change";
import { type Audio, audioText } from "../fields";
import { counted } from "../../../rules/visible";

export interface PageOptions {
  /** The folder of the page. The addresses of recordings and pictures are relative to this folder. */
  pageFolder: string;
  /** The folder in which the program runs. The paths of recordings and pictures are relative to this folder. */
  programFolder: string;
  /** No file outside of this folder and of `fetchedFolder` is read or linked: a change could name any file. */
  projectFolder: string;
  /** The most bytes of recordings that the page embeds. */
  embedBytes: number;
  /** A published page links to no file. With `embedBytes` 0, it shows only the labels of recordings in files. */
  isPublished?: boolean;
  /** The folder with recordings that the command `recordings` fetched. Each recording is named by its SHA-256. */
  fetchedFolder?: string | undefined;
}

export interface Recording {
  label: string;
  /** The URL of the recording. Undefined if the page can't play it. */
  src?: string;
  /** Why the page can't play the recording. */
  missing?: string;
}

type Source = Required<Pick<Recording, "src">>;

export const missing = {
  unknown: "The project does not have this recording.",
  overwritten:
    "The file does not have this recording any more. `review --embed-audio --save review.html` looks for this recording in the history of Git.",
  room: "The page has no room for this recording: it embeds 20 MB.",
  shallow: "This clone does not have a commit with the recording. `git fetch --unshallow` fetches the older commits.",
  "in-lfs": "The recording is in Git LFS, but not on this machine. `git lfs fetch --all` fetches it.",
  deleted: "The page does not include recordings of voices that are deleted without a replacement.",
  unhashed: "The preview does not have the hash of the recording, so the file may have another recording.",
  withheld: "The page does not contain recordings.",
  signed: "The address of the recording is signed, so the page does not link to it.",
} as const;

/** The largest file that is read from the folder of `recordings`. The service accepts far smaller recordings. */
const mostFetchedBytes = 64 * 1024 * 1024;

/** Finds the recordings that a reviewer can play, and embeds them while there is room. */
export class Recordings {
  private bytes = 0;
  private count = 0;
  private readonly inspect = audioInspector();

  constructor(
    private readonly options: PageOptions,
    private readonly read: (path: string) => Buffer = readFileSync,
  ) {}

  /** For example `2 recordings (0.4 MB)`; undefined if no recording is embedded. */
  get embedded(): string | undefined {
    return this.count === 0 ? undefined : `${counted(this.count, "recording")} (${(this.bytes / 1e6).toFixed(1)} MB)`;
  }

  /** Returns the old and the new recording of a voice, as far as they exist. Equal recordings are returned once. */
  async of({ kind, audio, fields }: Change): Promise<Recording[]> {
    if (kind !== "voice" || !audio) return [];
    const { old, new: fresh } = audio;
    const isSame = old?.sha256 !== undefined && old.sha256 === fresh?.sha256;
    const differ = old && fresh && !isSame && fields.some(({ field }) => field === "audio");
    return [
      ...(old && (!fresh || differ) ? [await this.recording(old, "now", fresh !== undefined)] : []),
      ...(fresh ? [await this.recording(fresh, !old || differ ? "after" : "now and after", true)] : []),
    ];
  }

  private async recording(audio: Audio, when: string, mayEmbed: boolean): Promise<Recording> {
    const label = `${when}: ${audioText(audio)}`;
    const source = await this.inWorkingCopy(audio, mayEmbed);
    if (typeof source === "object") return { label, ...source };
    const isElsewhere = mayEmbed && (source === undefined || source === missing.overwritten);
    const fetched = isElsewhere ? await this.fetchedOrCommitted(audio) : undefined;
    if (fetched?.startsWith("data:")) return { label, src: fetched };
    return { label, missing: this.reason(mayEmbed, fetched ?? source) };
  }

  private reason(mayEmbed: boolean, reason: string | undefined): string {
    const { isPublished = false, embedBytes } = this.options;
    if (isPublished && reason !== missing.signed) {
      if (embedBytes === 0) return missing.withheld;
      if (!mayEmbed) return missing.deleted;
    }
    // If the page embeds recordings, the recording was looked for in Git's history, and not found there.
    return reason === undefined || (reason === missing.overwritten && embedBytes > 0) ? missing.unknown : reason;
  }

  /** Returns the recording in the working copy, or why it can't be played. Undefined if there is no such file. */
  private async inWorkingCopy({ place, sha256 }: Audio, mayEmbed: boolean): Promise<Source | string | undefined> {
    const parsed = audioPlace(place);
    if ("url" in parsed) return parsed.url.includes(hiddenQuery) ? missing.signed : { src: parsed.url };
    if (!("path" in parsed)) return undefined;
    const path = resolve(this.options.programFolder, parsed.path);
    const address = addressOf(path, this.options);
    const linked = this.options.isPublished === true ? undefined : address;
    if (address === undefined) return undefined;
    // Without the hash in the preview, the file may have another recording.
    if (sha256 === undefined) return linked === undefined ? missing.unhashed : { src: linked };
    const facts = await this.inspect(path);
    // The file has another hash, so it was overwritten since the preview or since the voice was created.
    if (facts.state !== "audio" || facts.sha256 !== sha256) return missing.overwritten;
    const src = (mayEmbed ? this.embed(facts, () => this.read(path)) : undefined) ?? linked;
    return src === undefined ? missing.room : { src };
  }

  /** A data URL of an overwritten recording, from the folder of `recordings` or from Git, or why there is none. */
  private async fetchedOrCommitted({ place, sha256 }: Audio): Promise<string | undefined> {
    const parsed = audioPlace(place);
    const { embedBytes, programFolder, projectFolder } = this.options;
    if (!("path" in parsed) || sha256 === undefined || embedBytes === 0) return undefined;
    const path = resolve(programFolder, parsed.path);
    if (!isWithin(projectFolder, path)) return undefined;
    const bytes = this.fetched(sha256) ?? (await committedFile(path, sha256));
    if (bytes === undefined) return undefined;
    if (bytes === "in-lfs" || bytes === "shallow") return missing[bytes];
    const kind = containerOf(bytes);
    if (kind === undefined) return undefined;
    return this.embed({ kind, bytes: bytes.length, sha256 }, () => bytes) ?? missing.room;
  }

  private fetched(sha256: string): Buffer | undefined {
    const { fetchedFolder } = this.options;
    // The hash becomes a part of a path, and may come from the program.
    if (fetchedFolder === undefined || !/^[0-9a-f]{64}$/.test(sha256)) return undefined;
    const bytes = readRegularFile(join(fetchedFolder, sha256), mostFetchedBytes);
    return bytes && sha256Of(bytes) === sha256 ? bytes : undefined;
  }

  /** Returns a data URL, or undefined if the page lacks room. A recording that is embedded twice counts twice. */
  private embed(file: Pick<AudioFile, "kind" | "bytes" | "sha256">, read: () => Buffer): string | undefined {
    const size = encodedLength(file.bytes);
    if (this.bytes + size > this.options.embedBytes) return undefined;
    const content = read();
    // The file may have been replaced since `inspect` read it.
    if (sha256Of(content) !== file.sha256) return undefined;
    this.bytes += size;
    this.count++;
    return `data:${recordings[file.kind].mediaType};base64,${content.toString("base64")}`;
  }
}

/** The relative URL of a file in the project. It begins with `./`, so that a path such as `javascript:…` is a path. */
export function addressOf(path: string, { pageFolder, projectFolder }: PageOptions): string | undefined {
  // A symbolic link may lead out of the project.
  if (!existsSync(path) || !isWithin(realpathSync(projectFolder), realpathSync(path))) return undefined;
  const from = relative(pageFolder, path);
  if (isAbsolute(from)) return undefined;
  return `./${from.split(sep).map(encodeURIComponent).join("/")}`;
}
