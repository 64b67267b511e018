import { VoiceCatalog } from "pulumi-cloudvoice";

/** The program under test. The team has a rule: every voice must state its language. */
const catalog = new VoiceCatalog("product", {
  defaults: { targetModel: "svc3-tts-vc-2026-01-22" },
  voices: {
    narrator: { audio: "../catalog/audio/narrator-en.wav", language: "en" },
    support: { audio: "../catalog/audio/support-fr.mp3", language: "fr" },
  },
});

export const manifest = catalog.manifest;
