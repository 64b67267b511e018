import type { VoiceInputs } from "./voice-inputs";

/** The synthesis models that a voice can be bound to (docs/service.md). */
export const targetModels = [
  "svc3-tts-vc-realtime-2026-01-15",
  "svc3-tts-vc-realtime-2025-11-27",
  "svc3-tts-vc-2026-01-22",
] as const;
/** The languages that a recording can be in. */
export const languages = ["zh", "en", "de", "it", "pt", "es", "ja", "ko", "fr", "ru"] as const;

/** The inputs after `check`, which adds the facts about the audio file and the name. */
export interface CheckedVoice extends VoiceInputs {
  preferredName: string;
  audioSha256?: string | undefined;
  audioSeconds?: number | undefined;
  /** The formula that generated the name. Absent when the program chose the name. */
  nameVersion?: number | undefined;
}

/** The state of a voice: its inputs, and what the service and the creation add. */
export interface VoiceOutputs extends CheckedVoice {
  /** The declared values of an adopted voice that its own facts replace in the state. Absent in older states. */
  adoptedWith?: object | undefined;
  voice: string;
  createdAt?: string | undefined;
  degraded: boolean;
  degradedReason?: string | undefined;
  adopted: boolean;
  requestId?: string | undefined;
  /** Fingerprint of the account that holds the voice. */
  account: string;
}

/** Whether we generated the name, so that it identifies the resource and its content. */
export function hasGeneratedName({ nameVersion }: { nameVersion?: unknown }): boolean {
  return nameVersion !== undefined;
}
