/* The names and bounds that the description of the interface states (docs/service.md). */

/** The synthesis models that a voice can be bound to. */
export const targetModels = [
  "svc3-tts-vc-realtime-2026-01-15",
  "svc3-tts-vc-realtime-2025-11-27",
  "svc3-tts-vc-2026-01-22",
] as const;
/** The languages that a recording can be in. */
export const languages = ["zh", "en", "de", "it", "pt", "es", "ja", "ko", "fr", "ru"] as const;

/** The only models that the asynchronous interface accepts. */
export const imageModels = ["svc-image-plus", "svc-image"] as const;

/** What a created voice costs, in US dollars. */
export const statedVoicePrice = 0.01;

/** The most characters of a `preferred_name`. */
export const longestName = 16;

/** A value in `triggers`. */
export type Trigger = string | number | boolean;
