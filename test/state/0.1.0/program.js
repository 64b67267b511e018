const pulumi = require("@pulumi/pulumi");
const cv = require("pulumi-cloudvoice");
const model = "svc3-tts-vc-2026-01-22";

new cv.CloudVoice("generated", {
  targetModel: model, audio: "a.wav", language: "en", text: pulumi.secret("a secret text"), triggers: ["v1", 2, true],
});
new cv.CloudVoice("chosen", { targetModel: model, audio: "b.mp3", preferredName: "announcer" });
new cv.CloudVoice("adopted", { targetModel: model, audio: "c.m4a", adopt: "svc-tts-vc-by_hand-voice-20261129004209873-60c9" });
new cv.CloudVoice("from-url", { targetModel: model, audio: "https://audio.example/voice.wav" });
new cv.VoiceCatalog("catalog", {
  defaults: { targetModel: model },
  voices: { narrator: { audio: "a.wav" }, support: { audio: "c.m4a", language: "es" } },
});
new cv.GeneratedImage("cover", { model: "svc-image", prompt: "A lighthouse", size: "1328*1328", saveTo: "covers" });
new cv.Decision("gate", {
  state: { text: "Welcome" },
  questions: { tone: cv.question.choice("Tone?", { friendly: "Warm", rude: "Impolite" }) },
});

