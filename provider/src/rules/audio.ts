/** The formats that the service accepts, by their media types. */
export const mediaTypes = { wav: "audio/wav", mp3: "audio/mpeg", mp4: "audio/mp4" } as const;
export type AudioKind = keyof typeof mediaTypes;

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
  /**
   * Measured from the file's frames; for WAV that is not PCM, from its header. Absent if the length can't be measured.
   */
  seconds?: number;
}

/**
 * The service's limits: under 10 MB of base64, 10 to 20 seconds. Its document does not say whether a megabyte is
 * 1,000,000 or 1,048,576 bytes, so what lies between is left to the service.
 */
const encodedLimit = 10 * 1024 * 1024;
const surelyAcceptedBytes = 10_000_000;
const shortestSeconds = 10;
const longestSeconds = 20;

/** Encoders add frames of silence to compressed audio: a recording of 20 s becomes a file of up to 20.1 s. */
const paddingSeconds = { wav: 0, mp3: 0.1, mp4: 0.1 } as const;

export type AudioPlace = { url: string } | { path: string } | { problem: string };

/** Whether `audio` is a URL or a path, or why it can be neither. */
export function audioPlace(audio: string): AudioPlace {
  if (audio.trim() === "") return { problem: "is empty; give a file's path or an http(s) URL" };
  if (/^data:/i.test(audio)) {
    return { problem: "is a data URL, which would put the audio into the state; save it as a file and give its path" };
  }
  const scheme = /^[a-z][a-z0-9+.-]+(?=:\/\/)/i.exec(audio)?.[0].toLowerCase();
  if (scheme === undefined) return { path: audio };
  if (scheme !== "http" && scheme !== "https") {
    return { problem: `is a ${scheme}:// URL; the service fetches http(s) only` };
  }
  if (/\s/.test(audio) || !URL.canParse(audio)) return { problem: "is not a valid URL" };
  const url = new URL(audio);
  if (url.username || url.password) {
    return { problem: "has credentials in its URL; the service fetches public URLs only" };
  }
  return { url: audio };
}

/**
 * Whether a place that was refused may hold a secret: a user name or password, or a query, which may be a signature.
 * It need not be a valid URL.
 */
export function mayHoldSecret(audio: string): boolean {
  return /:.*@|:\/\/.*\?/s.test(audio);
}

/** Whether a URL looks signed: a signature expires, and then the voice can't be created again from it. */
export function looksSigned(url: string): boolean {
  const names = [...new URL(url).searchParams.keys()];
  return names.some((name) =>
    /^(x-(amz|goog|oss|cos|tos)-(signature|security-token)|signature|sig|token|expires|se)$/i.test(name),
  );
}

/** Why the service would refuse this file; undefined when it would accept it. */
export function audioProblem(facts: AudioFacts): string | undefined {
  const wanted = "a WAV, MP3 or MP4 file of 10 to 20 seconds";
  switch (facts.state) {
    case "missing":
      return "does not exist: there is no such file; the path is relative to the program's folder";
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
      return `is ${facts.found}; the service takes WAV, MP3 and MP4 (the content decides, not the file's name)`;
    case "cut-short":
      return `is cut short: ${facts.found}; give the whole file`;
    case "audio":
      return limitProblem(facts);
  }
}

function limitProblem({ kind, bytes, seconds }: AudioFile): string | undefined {
  const problems: string[] = [];
  if (encodedLength(bytes) >= encodedLimit) problems.push(tooLarge(bytes));
  // A length that can't be measured counts as right: the service decides.
  const length = seconds ?? shortestSeconds;
  if (length < shortestSeconds) {
    problems.push(`is ${exactSeconds(length)} s long, shorter than the ${shortestSeconds} s that the service asks for`);
  }
  if (length > longestSeconds + paddingSeconds[kind]) {
    problems.push(`is ${exactSeconds(length)} s long, longer than the ${longestSeconds} s that the service takes`);
  }
  return problems.length === 0 ? undefined : problems.join(", and ");
}

/** What the service may refuse about this file, although its document can be read to allow it. */
export function audioWarning(facts: AudioFacts): string | undefined {
  if (facts.state !== "audio" || encodedLength(facts.bytes) < surelyAcceptedBytes) return undefined;
  return `${sizes(facts.bytes)}; the service takes under 10 MB, and may refuse it (up to 7.5 MB of file is certain)`;
}

function tooLarge(bytes: number): string {
  return `${sizes(bytes)}; the service takes under 10 MB (about 7.5 MB of file)`;
}

function sizes(bytes: number): string {
  const inMegabytes = (count: number) => (count / 1e6).toFixed(1);
  return `is ${inMegabytes(bytes)} MB, ${inMegabytes(encodedLength(bytes))} MB once encoded`;
}

/** With enough decimals that a length outside a limit never looks as if it were within. */
function exactSeconds(seconds: number): string {
  return String(Number(seconds.toFixed(3)));
}

/** The length of base64: four characters for every three bytes begun. */
export function encodedLength(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
