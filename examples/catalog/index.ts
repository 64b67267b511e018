import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { Decision, GeneratedImage, type Language, question, VoiceCatalog } from "pulumi-cloudvoice";

/** Every voice of the product. Each stack provisions the voices of the languages in its configuration. */
const narrator = {
  targetModel: "svc3-tts-vc-2026-01-22",
  rights: { holder: "Speaker 1", evidence: "consents/1.pdf", until: "2029-12-31" },
};
const support = {
  targetModel: "svc3-tts-vc-realtime-2026-01-15",
  rights: { holder: "Speaker 2", evidence: "consents/2.pdf" },
};
const product = {
  "narrator-en": { ...narrator, audio: "audio/narrator-en.wav", language: "en" },
  "narrator-de": { ...narrator, audio: "audio/narrator-de.mp3", language: "de" },
  "narrator-es": { ...narrator, audio: "audio/narrator-es.m4a", language: "es" },
  "support-en": { ...support, audio: "audio/support-en.m4a", language: "en" },
  "support-fr": { ...support, audio: "audio/support-fr.mp3", language: "fr" },
} as const;

const languages = new pulumi.Config().requireObject<Language[]>("languages");
const selected = Object.entries(product).filter(([, { language }]) => languages.includes(language));

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

const catalog = new VoiceCatalog("voices", { voices: Object.fromEntries(selected) }, { dependsOn: textsAreFit });

const cover = new GeneratedImage("cover", {
  model: "svc-image-plus",
  prompt: "A lighthouse by a calm harbour at dusk, flat illustration, no text",
  size: "1328*1328",
  saveTo: "covers",
});

export const voices = catalog.manifest;
export const coverFile = cover.images.apply((images) => images[0]?.file);
export const tone = textsAreFit.answers.tone.choice;
