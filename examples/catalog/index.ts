import * as pulumi from "@pulumi/pulumi";
import { CloudVoice, type CloudVoiceArgs, type Language } from "pulumi-cloudvoice";

/** Every voice of the product. The stack's configuration says which languages an environment has. */
const catalog: Record<string, CloudVoiceArgs & { language: Language }> = {
  "narrator-en": { targetModel: "svc3-tts-vc-2026-01-22", audio: "audio/narrator-en.wav", language: "en" },
  "narrator-de": { targetModel: "svc3-tts-vc-2026-01-22", audio: "audio/narrator-de.mp3", language: "de" },
  "narrator-es": { targetModel: "svc3-tts-vc-2026-01-22", audio: "audio/narrator-es.m4a", language: "es" },
  "support-en": { targetModel: "svc3-tts-vc-realtime-2026-01-15", audio: "audio/support-en.m4a", language: "en" },
  "support-fr": { targetModel: "svc3-tts-vc-realtime-2026-01-15", audio: "audio/support-fr.mp3", language: "fr" },
};

const languages = new pulumi.Config().requireObject<Language[]>("languages");

export const voices = Object.fromEntries(
  Object.entries(catalog)
    .filter(([, args]) => languages.includes(args.language))
    .map(([name, args]) => [name, new CloudVoice(name, args).voice]),
);
