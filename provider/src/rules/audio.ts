import { type AudioKind, recordings } from "./file-formats";
import { textsOf } from "./visible";

export type AudioFacts =
  | { state: "missing" | "folder" | "empty" | "git-lfs-pointer" }
  | { state: "unreadable"; why: string }
  | { state: "huge"; bytes: number }
  | { state: "other"; detail: string }
  | { state: "cut-short"; kind: AudioKind; detail: string }
  | AudioFile;

export interface AudioFile {
  state: "audio";
  kind: AudioKind;
  bytes: number;
  sha256: string;
  /** Measured from the frames. Absent if the length can't be measured, or if two measurements disagree. */
  seconds?: number;
  /** Whether `seconds` excludes the silence that encoders add. */
  trimmed?: boolean;
  /** Unusual properties of the file, for which the service may refuse it. */
  doubts?: string[];
}

/**
 * The service's limits: under 10 MB of base64, and 10 to 20 seconds. The contract does not define a megabyte, so the
 * service decides about a base64 text of 10,000,000 to 10,485,760 bytes.
 */
const encodedLimit = 10 * 1024 * 1024;
const surelyAcceptedBytes = 10_000_000;
const shortestSeconds = 10;
const longestSeconds = 20;

/**
 * Encoders add silence to compressed audio: a recording of 20 s becomes a file of up to 20.1 s, or of 20.3 s with a low
 * rate or HE-AAC. The service decides about files of 20.1 to 20.3 s.
 */
const paddingSeconds = { usual: 0.1, most: 0.3 };

/** Set by the command `check`: its preview then skips recordings, because the first bad one would end the preview. */
export const uncheckedRecordings = "PULUMI_CLOUDVOICE_UNCHECKED_RECORDINGS";

export type AudioPlace = { url: string } | { path: string } | { problem: string };

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
 * Whether a refused `audio` may contain a secret: a user name, a password, or a query with a signature. `audio` may be
 * an invalid URL.
 */
export function mayHoldSecret(audio: string): boolean {
  const [scheme, host] = [audio.indexOf(":"), audio.indexOf("://")];
  return (scheme >= 0 && audio.includes("@", scheme)) || (host >= 0 && audio.includes("?", host));
}

/** Whether a URL looks signed: after its signature has expired, the voice can't be created again from it. */
export function looksSigned(url: string): boolean {
  const names = [...new URL(url).searchParams.keys()];
  return names.some((name) =>
    /^(x-(amz|goog|oss|cos|tos)-(signature|security-token)|q-signature|signature|sig|token|expires|se)$/i.test(name),
  );
}

const expectedFile = `a WAV, MP3 or MP4 file of ${shortestSeconds} to ${longestSeconds} seconds`;

/** Why the service would certainly refuse this file. Undefined if the service may accept the file. */
export function audioProblem(facts: AudioFacts): string | undefined {
  switch (facts.state) {
    case "missing":
      return (
        "does not exist: the path is relative to the program's folder, with / between names, and upper and lower case " +
        "matter. If Git has the file, restore it; if Git ignores it, a clone lacks it"
      );
    case "folder":
      return `is a folder; give ${expectedFile}`;
    case "empty":
      return `is an empty file; give ${expectedFile}`;
    case "git-lfs-pointer":
      return "is a Git LFS pointer, not the audio itself; run `git lfs pull`";
    case "unreadable":
      return `can't be read: ${facts.why}`;
    case "huge":
      return `${tooLarge(facts.bytes)}; ${converted("large.wav")} makes it smaller`;
    case "other":
      return (
        `is ${facts.detail}; the service takes WAV, MP3 and MP4 (the content decides, not the file's name); ` +
        `${converted("in.file")} converts most recordings`
      );
    case "cut-short":
      return `is cut short: ${facts.detail}; give the whole file`;
    case "audio":
      return limitProblem(facts);
  }
}

const converted = (file: string) => `\`ffmpeg -i ${file} -ac 1 -ar 24000 out.wav\``;

function limitProblem({ kind, bytes, seconds, trimmed = false }: AudioFile): string | undefined {
  // If the length was not measured, the service decides.
  const length = seconds ?? shortestSeconds;
  const allowed = kind === "wav" || trimmed ? longestSeconds : longestSeconds + paddingSeconds.most;
  const problems = textsOf([
    encodedLength(bytes) >= encodedLimit && tooLarge(bytes),
    length < shortestSeconds &&
      `is ${exactSeconds(length)} s long, shorter than the ${shortestSeconds} s that the service asks for`,
    length > allowed &&
      `is ${exactSeconds(length)} s long, longer than the ${longestSeconds} s that the service takes; ` +
        `\`ffmpeg -i in.${recordings[kind].extension} -t ${longestSeconds} -ac 1 -ar 24000 out.wav\` keeps its beginning`,
  ]);
  return problems.join(", and ") || undefined;
}

/** A warning about properties for which the service may refuse the file. The contract is ambiguous about them. */
export function audioWarning(facts: AudioFacts): string | undefined {
  if (facts.state !== "audio") return undefined;
  const { kind, bytes, seconds, trimmed = false, doubts = [] } = facts;
  const isUnmeasured = seconds === undefined && !doubts.some((doubt) => doubt.startsWith("its length"));
  const unmeasured = `its length can't be measured, and the service accepts ${shortestSeconds} to ${longestSeconds} seconds`;
  const unusual = isUnmeasured ? [...doubts, unmeasured] : doubts;
  const warnings = textsOf([
    encodedLength(bytes) >= surelyAcceptedBytes &&
      `${sizes(bytes)}; the service accepts less than 10 MB, and may refuse the file (a file of up to 7.5 MB is certainly accepted)`,
    kind !== "wav" &&
      !trimmed &&
      seconds !== undefined &&
      seconds > longestSeconds + paddingSeconds.usual &&
      `is ${exactSeconds(seconds)} s long, including silence that its encoder may have added, and the service accepts ` +
        `at most ${longestSeconds} s`,
    unusual.length > 0 && `is unusual: ${unusual.join("; ")}. The service decides about it`,
  ]);
  return warnings.join(", and ") || undefined;
}

function tooLarge(bytes: number): string {
  return `${sizes(bytes)}; the service takes under 10 MB (about 7.5 MB of file)`;
}

function sizes(bytes: number): string {
  const inMegabytes = (count: number) => (count / 1e6).toFixed(1);
  return `is ${inMegabytes(bytes)} MB, ${inMegabytes(encodedLength(bytes))} MB once encoded`;
}

/** Shows three decimals, so that e.g. 20.004 s does not look like the allowed 20 s. */
function exactSeconds(seconds: number): string {
  return String(Number(seconds.toFixed(3)));
}

export function encodedLength(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
