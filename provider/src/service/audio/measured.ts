import type { AudioFacts, AudioFile } from "../../rules/audio";
import type { AudioKind } from "../../rules/file-formats";

/** Without `seconds`, the length can't be measured, or two measurements of it disagree. */
export type Measured =
  Exclude<AudioFacts, AudioFile> | (Pick<AudioFile, "kind" | "seconds" | "trimmed" | "doubts"> & { state: "audio" });

/**
 * If a file is shorter than its header says by at most this much, it counts as complete: encoders round up to whole
 * frames, and pad.
 */
export const toleratedGapSeconds = 0.3;

/** A measurement stops after this length, because a few megabytes can hold hundreds of thousands of frames. */
export const mostSeconds = 600;

export const partInFile = (seconds: number, promisedSeconds: number) =>
  `${seconds.toFixed(1)} of ${promisedSeconds.toFixed(1)} s are in the file`;

export function cutShort(kind: AudioKind, detail: string): Measured {
  return { state: "cut-short", kind, detail };
}

/** If two measurements of one recording differ by more than this, its length counts as not measured. */
const agreeingSeconds = 0.2;

/**
 * Builds the result of a measurement. `lengths`: the length, measured in independent ways. `paddingSeconds`: the
 * silence that an encoder added, included in each length.
 */
export function judged(
  kind: AudioKind,
  lengths: (number | undefined)[],
  doubts: string[],
  paddingSeconds?: number,
): Measured {
  const measured = lengths.filter((length) => length !== undefined && length > 0) as number[];
  const [seconds] = lengths;
  const agree = Math.max(...measured) - Math.min(...measured) <= agreeingSeconds;
  const all = [...doubts];
  if (!agree) {
    const shown = [...new Set(measured.map((length) => `${length.toFixed(1)} s`))];
    all.push(`its length is ${shown.join(" or ")}, depending on how it is measured`);
  }
  const isKnown = agree && seconds !== undefined;
  return {
    state: "audio",
    kind,
    ...(isKnown && { seconds: Math.round((seconds - (paddingSeconds ?? 0)) * 1000) / 1000 }),
    ...(isKnown && paddingSeconds !== undefined && { trimmed: true }),
    ...(all.length > 0 && { doubts: all }),
  };
}
