import { CloudVoice } from "pulumi-cloudvoice/native";

const narrator = new CloudVoice("narrator", {
  targetModel: "svc3-tts-vc-2026-01-22",
  audio: "narrator.wav", // 10 to 20 seconds of speech: WAV, MP3 or MP4
  language: "en",
  // Who allowed the use, where that is recorded, and until: its last day.
  rights: { holder: "Nobody: a computed sample", evidence: "README of pulumi-cloudvoice" },
});

export const voice = narrator.voice; // what synthesis calls take as `voice`
