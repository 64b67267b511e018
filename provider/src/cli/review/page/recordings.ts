import { existsSync, readFileSync, realpathSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { isWithin, sha256Of } from "../../../files";
import { committedFile } from "../../../git";
import { type AudioFile, audioPlace, encodedLength, mediaTypes } from "../../../rules/audio";
import { hiddenQuery } from "../../../rules/public-url";
import { audioInspector } from "../../../service/audio/inspect";
import type { Change } from "../change";
import { type Audio, audioText } from "../fields";
import { counted } from "../../listing";

export interface PageOptions {
  /** The folder of the page. The addresses of recordings and pictures are relative to it. */
  pageFolder: string;
  /** The folder in which the program runs. The paths of its files are relative to it. */
  programFolder: string;
  /** Only files in this folder are read or linked. A change may name any other file of the machine. */
  projectFolder: string;
  /** The highest number of bytes of new and changed recordings inside the page. */
  embedBytes: number;
}

export interface Recording {
  label: string;
  /** Undefined if the recording was not found. */
  src?: string | undefined;
  /** The waveform (see `wavPeaks`). Without one, the page draws it itself if the recording is embedded. */
  peaks?: string | undefined;
}

type Source = Pick<Recording, "src" | "peaks">;

/** Decoding takes some milliseconds for each recording. */
const mostWaveforms = 300;

/** Finds the recordings that a reviewer can play, and embeds them in the page while there is room. */
export class Recordings {
  private bytes = 0;
  private count = 0;
  private readonly inspect = audioInspector();
  private readonly waveforms = new Map<string, Promise<string | undefined>>();

  constructor(
    private readonly options: PageOptions,
    private readonly read: (path: string) => Buffer = readFileSync,
  ) {}

  /** For example `2 recordings (0.4 MB)`; undefined when none is embedded. */
  get embedded(): string | undefined {
    return this.count === 0 ? undefined : `${counted(this.count, "recording")} (${(this.bytes / 1e6).toFixed(1)} MB)`;
  }

  /** The old recording, and the new one if it is another. */
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
    const source = await this.inWorkingCopy(audio, mayEmbed);
    const src = source.src ?? (mayEmbed ? await this.inHistory(audio) : undefined);
    return { label: `${when}: ${audioText(audio)}`, ...source, src };
  }

  private async inWorkingCopy({ place, sha256 }: Audio, mayEmbed: boolean): Promise<Source> {
    const parsed = audioPlace(place);
    if ("url" in parsed) return parsed.url.includes(hiddenQuery) ? {} : { src: parsed.url };
    if (!("path" in parsed)) return {};
    const path = resolve(this.options.programFolder, parsed.path);
    const address = addressOf(path, this.options);
    // Without its hash, it may be any recording.
    if (address === undefined || sha256 === undefined) return { src: address };
    const facts = await this.inspect(path);
    // The file has changed since the preview or since the voice was created: it is another recording.
    if (facts.state !== "audio" || facts.sha256 !== sha256) return {};
    return {
      src: (mayEmbed ? this.embed(facts, () => this.read(path)) : undefined) ?? address,
      peaks: await this.waveformOf(path, facts),
    };
  }

  /** A file that was overwritten is often in the history of Git still. It can be embedded, and has no address. */
  private async inHistory({ place, sha256 }: Audio): Promise<string | undefined> {
    const parsed = audioPlace(place);
    if (!("path" in parsed) || sha256 === undefined || this.bytes >= this.options.embedBytes) return undefined;
    const path = resolve(this.options.programFolder, parsed.path);
    if (!isWithin(this.options.projectFolder, path)) return undefined;
    const bytes = await committedFile(path, sha256);
    if (bytes === undefined) return undefined;
    const { measure } = await import("../../../service/audio/measure");
    const measured = await measure(bytes);
    if (measured.state !== "audio") return undefined;
    return this.embed({ kind: measured.kind, bytes: bytes.length, sha256 }, () => bytes);
  }

  private async waveformOf(path: string, { kind, sha256 }: AudioFile): Promise<string | undefined> {
    if (kind !== "wav" || (!this.waveforms.has(sha256) && this.waveforms.size >= mostWaveforms)) return undefined;
    // Loaded late: the library that decodes audio is large.
    const { wavPeaks } = await import("../../../service/audio/measure");
    const waveform = this.waveforms.get(sha256) ?? wavPeaks(path);
    this.waveforms.set(sha256, waveform);
    return waveform;
  }

  /** A data URL of the recording; undefined when there is no room. A recording that is embedded twice counts twice. */
  private embed(file: Pick<AudioFile, "kind" | "bytes" | "sha256">, read: () => Buffer): string | undefined {
    const size = encodedLength(file.bytes);
    if (this.bytes + size > this.options.embedBytes) return undefined;
    const content = read();
    // Another file may have taken its place since it was inspected.
    if (sha256Of(content) !== file.sha256) return undefined;
    this.bytes += size;
    this.count++;
    return `data:${mediaTypes[file.kind]};base64,${content.toString("base64")}`;
  }
}

/**
 * The address of a file of the project, with all links followed. It always begins with `./`, so that a path such as
 * `javascript:…` cannot act as a URL of another kind.
 */
export function addressOf(path: string, { pageFolder, projectFolder }: PageOptions): string | undefined {
  if (!existsSync(path) || !isWithin(realpathSync(projectFolder), realpathSync(path))) return undefined;
  const from = relative(pageFolder, path);
  if (isAbsolute(from)) return undefined;
  return `./${from.split(sep).map(encodeURIComponent).join("/")}`;
}
