import type { AudioFacts, AudioFile } from "../../rules/audio";
import type { AudioKind } from "../../rules/file-formats";

/**
 * The result of a measurement. A recording has no `seconds` if its length can't be measured, or if two measurements of
 * it disagree.
 */
export type Measured =
  Exclude<AudioFacts, AudioFile> | (Pick<AudioFile, "kind" | "seconds" | "trimmed" | "doubts"> & { state: "audio" });

/**
 * A complete file may be shorter than its header says by this much, because encoders round up to whole frames and pad.
 */
export const toleratedGapSeconds = 0.3;

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
  const spread = Math.max(...measured) - Math.min(...measured);
  const all = [...doubts];
  const agree = measured.length < 2 || spread <= agreeingSeconds;
  if (!agree) {
    const shown = [...new Set(measured.map((length) => `${length.toFixed(1)} s`))];
    all.push(`its length is ${shown.join(" or ")}, depending on how it is measured`);
  }
  return {
    state: "audio",
    kind,
    ...(agree && seconds !== undefined && { seconds: rounded(seconds - (paddingSeconds ?? 0)) }),
    ...(agree && seconds !== undefined && paddingSeconds !== undefined && { trimmed: true }),
    ...(all.length > 0 && { doubts: all }),
  };
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
