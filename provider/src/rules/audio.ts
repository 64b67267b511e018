/** The kinds that the service accepts, by what it calls them (contract 4.2, `input.audio.data`). */
export const mediaTypes = { wav: "audio/wav", mp3: "audio/mpeg", mp4: "audio/mp4" } as const;
export type AudioKind = keyof typeof mediaTypes;

/** What a file turned out to be. */
export type AudioFacts =
  | { state: "missing" | "folder" | "empty" | "git-lfs-pointer" }
  | { state: "unreadable"; why: string }
  | { state: "huge"; bytes: number }
  | { state: "other"; found: string }
  | { state: "cut-short"; kind: AudioKind; found: string }
  | AudioFile;

export interface AudioFile {
  state: "audio";
  kind: AudioKind;
  bytes: number;
  sha256: string;
  /** Measured from the file's frames, not read from its header. */
  seconds: number;
}

/** Contract 8: encoded audio under 10 MB, 10 to 20 seconds. */
const audioLimits = { encodedBytes: 10_000_000, shortestSeconds: 10, longestSeconds: 20 } as const;

/** Encoders add some frames of silence to compressed audio: a recording of 20 s is a file of 20.05. */
const paddingSeconds = { wav: 0, mp3: 0.1, mp4: 0.1 } as const;

export function isTooLong({ kind, seconds }: Pick<AudioFile, "kind" | "seconds">): boolean {
  return seconds > audioLimits.longestSeconds + paddingSeconds[kind];
}

export type AudioPlace = { url: string } | { path: string } | { fault: string };

/** Tells a URL from a path, and refuses what can be neither. */
export function audioPlace(audio: string): AudioPlace {
  if (audio.trim() === "") return { fault: "is empty; give a file's path or an http(s) URL" };
  if (/^data:/i.test(audio))
    return { fault: "is a data URL, which would put the audio into the state; save it as a file and give its path" };
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(audio)?.[1]?.toLowerCase();
  if (scheme === undefined) return { path: audio };
  if (scheme !== "http" && scheme !== "https")
    return { fault: `is an address of the kind ${scheme}://; the service fetches http(s) only` };
  if (/\s/.test(audio) || !URL.canParse(audio)) return { fault: "is not a valid URL" };
  const url = new URL(audio);
  if (url.username || url.password)
    return { fault: "has credentials in its URL; the service fetches public addresses only" };
  return { url: audio };
}

/** Whether a URL looks signed: it will be dead when the voice is made again. */
export function looksSigned(url: string): boolean {
  const names = [...new URL(url).searchParams.keys()];
  return names.some((name) =>
    /^(x-(amz|goog|oss|cos|tos)-(signature|security-token)|signature|sig|token|expires|se)$/i.test(name),
  );
}

/** Why the service would refuse this file, in full; undefined when it would not. */
export function audioFault(facts: AudioFacts): string | undefined {
  const wanted = "a WAV, MP3 or MP4 file of 10 to 20 seconds";
  switch (facts.state) {
    case "missing":
      return `no such file; the path is relative to the program's folder`;
    case "folder":
      return `is a folder; give ${wanted}`;
    case "empty":
      return `is an empty file; give ${wanted}`;
    case "git-lfs-pointer":
      return "is a Git LFS pointer, not the audio itself; run `git lfs pull`";
    case "unreadable":
      return `can't be read: ${facts.why}`;
    case "huge":
      return tooLarge(facts.bytes);
    case "other":
      return `is ${facts.found}; the service takes WAV, MP3 and MP4 (told by content, not by name)`;
    case "cut-short":
      return `is cut short: ${facts.found}; give the whole file`;
    case "audio":
      return soundFault(facts);
  }
}

function soundFault({ kind, bytes, seconds }: AudioFile): string | undefined {
  const faults: string[] = [];
  if (encodedLength(bytes) >= audioLimits.encodedBytes) faults.push(tooLarge(bytes));
  if (seconds < audioLimits.shortestSeconds)
    faults.push(`is ${shown(seconds)} s long, shorter than the 10 s that the service asks for`);
  if (isTooLong({ kind, seconds }))
    faults.push(`is ${shown(seconds)} s long, longer than the 20 s that the service takes`);
  return faults.length === 0 ? undefined : faults.join(", and ");
}

function tooLarge(bytes: number): string {
  const encoded = (encodedLength(bytes) / 1e6).toFixed(1);
  return `is ${(bytes / 1e6).toFixed(1)} MB, ${encoded} MB once encoded; the service takes under 10 MB (about 7.5 MB of file)`;
}

/** Enough decimals to never show a length that breaks a bound as if it kept it. */
function shown(seconds: number): string {
  return String(Number(seconds.toFixed(3)));
}

/** Base64: four characters for each three bytes begun. */
export function encodedLength(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
