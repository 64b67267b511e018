import { type Stats, statSync } from "node:fs";
import { resolve } from "node:path";
import { describeThrown, fileProblem } from "../../describe-thrown";
import { type AudioFacts, audioPlace } from "../../rules/audio";

/** A larger file is reported as too large without being read: the service accepts less than 10 MB of encoded audio. */
export const largestReadBytes = 9_999_999;

/** The file that the input `audio` names. Undefined for a URL, and for a value that is not a text. */
export function recordingFile(audio: unknown): string | undefined {
  const place = typeof audio === "string" ? audioPlace(audio) : undefined;
  return place && "path" in place ? resolve(place.path) : undefined;
}

/**
 * For a file that need not be read (missing, empty, too large, not a file): its facts. For any other file: its size and
 * modification time. Synchronous, because a thousand calls take 10 ms, and asynchronous calls take more than 100 ms.
 */
export function sizeUp(path: string): AudioFacts | Stats {
  let about: Stats;
  try {
    about = statSync(path);
  } catch (error) {
    const { code } = describeThrown(error);
    return code === "ENOENT" || code === "ENOTDIR" ? { state: "missing" } : unreadable(error);
  }
  if (about.isDirectory()) return { state: "folder" };
  if (!about.isFile()) return { state: "other", detail: "not a regular file" };
  if (about.size === 0) return { state: "empty" };
  return about.size > largestReadBytes ? { state: "huge", bytes: about.size } : about;
}

export function unreadable(error: unknown): AudioFacts {
  return { state: "unreadable", why: fileProblem(error) ?? describeThrown(error).message };
}
