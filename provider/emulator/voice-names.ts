import { randomInt } from "node:crypto";
import type { VoiceRow } from "./ledger";

/** Formats of the creation time in a voice's name. The argument is an ISO time with milliseconds. */
export const stamps = {
  "17 digits": (iso) => iso.replace(/\D/g, ""),
  "14 digits": (iso) => iso.replace(/\D/g, "").slice(0, 14),
  "basic iso": (iso) => `${iso.slice(0, 19).replace(/[-:]/g, "")}Z`,
  date: (iso) => iso.slice(0, 10).replaceAll("-", ""),
  seconds: (iso) => String(Math.floor(Date.parse(iso) / 1000)),
  milliseconds: (iso) => String(Date.parse(iso)),
} satisfies Record<string, (iso: string) => string>;
export type Stamp = keyof typeof stamps;

/** Formats of the suffix of a voice's name. The argument is a number below 65,536. */
export const suffixes = {
  "4 hex digits": (number) => number.toString(16).padStart(4, "0"),
  "5 digits": (number) => String(number).padStart(5, "0"),
  "4 of base 36": (number) => number.toString(36).padStart(4, "0"),
  "4 upper-case letters": (number) =>
    [17_576, 676, 26, 1].map((unit) => String.fromCharCode(65 + (Math.floor(number / unit) % 26))).join(""),
} satisfies Record<string, (number: number) => string>;
export type Suffix = keyof typeof suffixes;

interface VoiceNameForm {
  prefix: string;
  stamp: Stamp;
  separator: string;
  suffix: Suffix;
}

/** A hostile service adds this text to its texts: control characters, markup, mentions and links. */
export const hostileText =
  "\u001b[2J\u001b]0;title\u0007\u202e\u0000<img src=x onerror=alert(1)> @team [here](https://evil.example/) `|*_www.evil.example\r\n";

/** Generates the names of voices. */
export class VoiceNames {
  /**
   * A counter that starts at a random number. It distinguishes voices with the same preferred name and creation time.
   */
  private suffix: number;

  constructor(start = randomInt(0x10000)) {
    this.suffix = start;
  }

  /** Creates a voice with a name as in contract 2.1: prefix, preferred name, `-voice-`, creation time and suffix. */
  createVoice(
    preferredName: string,
    targetModel: string,
    nowMs: number,
    { voiceName: form, hostile }: { voiceName: VoiceNameForm; hostile: unknown },
  ): VoiceRow {
    this.suffix = (this.suffix + 1) % 0x10000;
    const iso = new Date(nowMs).toISOString();
    // Do not add the million characters of `long` to names, because every list contains them.
    const prefix = (hostile ? hostileText : "") + form.prefix;
    const suffix = suffixes[form.suffix](this.suffix) + (hostile ? "<b>\u001b[1m@team" : "");
    return {
      voice: `${prefix}${preferredName}-voice-${stamps[form.stamp](iso)}${form.separator}${suffix}`,
      targetModel,
      gmtCreate: iso.slice(0, 19).replace("T", " "),
      preferredName,
      createdMs: nowMs,
    };
  }
}

/** The creation time in milliseconds since 1970. From ledgers of older releases, only the whole second is known. */
export function createdMsOf({ createdMs, gmtCreate }: VoiceRow): number {
  return createdMs ?? Date.parse(`${gmtCreate.replace(" ", "T")}Z`);
}
