import { randomInt } from "node:crypto";
import type { VoiceRow } from "./ledger";

/** Generates the names of voices. */
export class VoiceNames {
  /** A counter with a random start, so that two voices with one preferred name and one creation time still differ. */
  private suffix = randomInt(0x10000);

  /** A voice whose name has the shape of contract 2.1, with 17 digits of time and 4 hexadecimal digits at the end. */
  createVoice(preferredName: string, targetModel: string, nowMs: number): VoiceRow {
    this.suffix = (this.suffix + 1) % 0x10000;
    const iso = new Date(nowMs).toISOString();
    const timestamp = iso.replace(/\D/g, "");
    const suffix = this.suffix.toString(16).padStart(4, "0");
    return {
      voice: `svc-tts-vc-${preferredName}-voice-${timestamp}-${suffix}`,
      targetModel,
      gmtCreate: iso.slice(0, 19).replace("T", " "),
      preferredName,
    };
  }
}

/** When the voice was created, in milliseconds, from the 17 digits in its name. */
export function createdMs({ voice }: VoiceRow): number {
  const [, day = "", time = "", ms = ""] = /-voice-(\d{8})(\d{6})(\d{3})-/.exec(voice) ?? [];
  const iso = `${day.replace(/(....)(..)(..)/, "$1-$2-$3")}T${time.replace(/(..)(..)(..)/, "$1:$2:$3")}.${ms}Z`;
  return Date.parse(iso);
}
