import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { CloudVoice, type CloudVoiceArgs, Decision, GeneratedImage, type Language, question } from "pulumi-cloudvoice";

/** Every voice of the product. Each stack provisions the voices of the languages in its configuration. */
const catalog: Record<string, CloudVoiceArgs & { language: Language }> = {
  "narrator-en": { targetModel: "svc3-tts-vc-2026-01-22", audio: "audio/narrator-en.wav", language: "en" },
  "narrator-de": { targetModel: "svc3-tts-vc-2026-01-22", audio: "audio/narrator-de.mp3", language: "de" },
  "narrator-es": { targetModel: "svc3-tts-vc-2026-01-22", audio: "audio/narrator-es.m4a", language: "es" },
  "support-en": { targetModel: "svc3-tts-vc-realtime-2026-01-15", audio: "audio/support-en.m4a", language: "en" },
  "support-fr": { targetModel: "svc3-tts-vc-realtime-2026-01-15", audio: "audio/support-fr.mp3", language: "fr" },
};

const languages = new pulumi.Config().requireObject<Language[]>("languages");
const selected = Object.entries(catalog).filter(([, args]) => languages.includes(args.language));

// The voices depend on this decision, so none is created while an expectation fails. The model is asked again only
// when the texts or the questions change.
const textsAreFit = new Decision("texts-are-fit", {
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
  selected.map(([name, args]) => [name, new CloudVoice(name, args, { dependsOn: textsAreFit }).voice]),
);
export const coverFile = cover.images.apply((images) => images[0]?.file);
export const tone = textsAreFit.answers.tone.choice;
