import type { z } from "zod";
import type { VoiceInputs } from "./voice-inputs";
import type { voiceOutputs } from "./voice-outputs";

/** The synthesis models that a voice can be bound to (docs/service.md). */
export const targetModels = [
  "svc3-tts-vc-realtime-2026-01-15",
  "svc3-tts-vc-realtime-2025-11-27",
  "svc3-tts-vc-2026-01-22",
] as const;
/** The languages that a recording can be in. */
export const languages = ["zh", "en", "de", "it", "pt", "es", "ja", "ko", "fr", "ru"] as const;

type Outputs = z.infer<typeof voiceOutputs>;
/** What a check adds to the inputs. */
type CheckedFacts = Pick<Outputs, "preferredName" | "audioSha256" | "audioSeconds" | "nameVersion">;

/** The inputs after `check`, which adds the facts about the audio file and the name. */
export interface CheckedVoice extends Omit<VoiceInputs, keyof CheckedFacts>, CheckedFacts {}

/** The state of a voice: its inputs, and what the service and the creation add. */
export interface VoiceOutputs extends Omit<VoiceInputs, keyof Outputs>, Outputs {}

/** Whether we generated the name, so that it identifies the resource and its content. */
export function hasGeneratedName({ nameVersion }: { nameVersion?: unknown }): boolean {
  return nameVersion !== undefined;
}
