import { CloudVoice, Provider, VoiceCatalog } from "pulumi-cloudvoice/native";

const targetModel = "svc3-tts-vc-2026-01-22";

// One provider for each account. Its key and address come from the environment, and stay out of the state.
const studio = new Provider("studio", {}, { envVarMappings: { STUDIO_KEY: "CLOUDVOICE_API_KEY" } });

const catalog = new VoiceCatalog("voices", {
  defaults: { targetModel },
  voices: {
    narrator: { audio: "../catalog/audio/narrator-en.wav", language: "en" },
    support: { audio: "../catalog/audio/support-fr.mp3", language: "fr" },
  },
});
const trailer = new CloudVoice(
  "trailer",
  { targetModel, audio: "../catalog/audio/narrator-de.mp3", language: "de" },
  { provider: studio },
);

export const manifest = catalog.manifest;
export const voice = trailer.voice;
