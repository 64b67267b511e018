import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { CloudVoice, type CloudVoiceArgs, Decision, GeneratedImage, type Language, question } from "pulumi-cloudvoice";

/** Every voice of the product. The stack's configuration says which languages an environment has. */
const catalog: Record<string, CloudVoiceArgs & { language: Language }> = {
  "narrator-en": { targetModel: "svc3-tts-vc-2026-01-22", audio: "audio/narrator-en.wav", language: "en" },
  "narrator-de": { targetModel: "svc3-tts-vc-2026-01-22", audio: "audio/narrator-de.mp3", language: "de" },
  "narrator-es": { targetModel: "svc3-tts-vc-2026-01-22", audio: "audio/narrator-es.m4a", language: "es" },
  "support-en": { targetModel: "svc3-tts-vc-realtime-2026-01-15", audio: "audio/support-en.m4a", language: "en" },
  "support-fr": { targetModel: "svc3-tts-vc-realtime-2026-01-15", audio: "audio/support-fr.mp3", language: "fr" },
};

const languages = new pulumi.Config().requireObject<Language[]>("languages");
const wanted = Object.entries(catalog).filter(([, args]) => languages.includes(args.language));

// A gate: no voice is made before the texts that will be spoken were found fit. Asked again only when they change.
const gate = new Decision("texts-are-fit", {
  state: readFileSync("texts.md", "utf8"),
  questions: {
    offensive: question.noul("Would a listener take offence at any of these texts?"),
    tone: question.choice("What is the tone of these texts?", {
      friendly: "Warm and polite",
      neutral: "Matter of fact",
      rude: "Impolite",
    }),
  },
  expect: { offensive: { max: 0.5 }, tone: { choice: ["friendly", "neutral"] } },
});

const cover = new GeneratedImage("cover", {
  model: "svc-image-plus",
  prompt: "A lighthouse by a calm harbour at dusk, flat illustration, no text",
  size: "1328*1328",
  saveTo: "covers",
});

export const voices = Object.fromEntries(
  wanted.map(([name, args]) => [name, new CloudVoice(name, args, { dependsOn: gate }).voice]),
);
export const coverFile = cover.images.apply((images) => images[0]?.file);
export const tone = gate.answers.tone.choice;
