import { type DeclaredResource, resources as declared } from "../../provider/src/rules/resources";

export interface ResourceDescription extends DeclaredResource {
  /** Full sentences in Markdown. */
  description: string;
  /** A part of a program in TypeScript. */
  example: string;
  /** The definition that its class passes on (program/definitions.ts). */
  definition: string;
  /** The noun for instances in a sentence. */
  instance: { one: string; many: string };
  /** The type parameters of the class. */
  parameters?: { declared: string; passed: string };
  /** The effect of a change that replaces the resource. */
  replaces: { sentence: string; cell: string };
  /** The remark about imports in the class's documentation. */
  importNote: string;
  /** The page of the resource. */
  page: string;
}

export const resources: readonly ResourceDescription[] = [
  {
    ...declared.voice,
    definition: "cloudVoice",
    description:
      "A cloned voice of the service. It is created from a recording for 0.01 US dollars, and deleted with the resource. " +
      "It counts towards the account's quota of 1,000 voices.",
    example: `const narrator = new CloudVoice("narrator", {
  targetModel: "svc3-tts-vc-2026-01-22",
  audio: "audio/narrator.wav",
  language: "en",
});
export const voice = narrator.voice;`,
    instance: { one: "a voice", many: "voices" },
    replaces: {
      sentence: "A change replaces the voice: a new one is created for $0.01, and then the old one is deleted.",
      cell: "replaces, $0.01",
    },
    importNote: "`import` needs `pulumi-cloudvoice/native`; elsewhere use `adopt`.",
    page: "docs/cloud-voice.md",
  },
  {
    ...declared.image,
    definition: "generatedImage",
    description:
      "Images that an asynchronous task generates from a prompt. The task is submitted once. The images are downloaded " +
      "when it has ended, because the service keeps them for a day only.",
    example: `const cover = new GeneratedImage("cover", {
  model: "svc-image-plus",
  prompt: "A lighthouse at dusk",
  saveTo: "covers",
});
export const file = cover.images[0].file;`,
    instance: { one: "an image", many: "images" },
    replaces: {
      sentence: "A change replaces the image: a new task is submitted and paid for.",
      cell: "replaces, one task",
    },
    importNote: "`import` needs `pulumi-cloudvoice/native`; elsewhere use `adoptTask`.",
    page: "docs/generated-image.md",
  },
  {
    ...declared.decision,
    definition: "decision",
    description:
      "A decision that is made once and kept in the state, so that every preview and update sees the same answers. With " +
      "`expect` it is a gate: resources that depend on it are created only if the answers meet the expectations.",
    example: `const gate = new Decision("gate", {
  state: releaseNotes,
  questions: { risky: question.noul("Do these notes announce a breaking change?") },
  expect: { risky: { max: 0.2 } },
});`,
    instance: { one: "a decision", many: "decisions" },
    parameters: { declared: "<Q extends Questions = Questions>", passed: "<Q>" },
    replaces: {
      sentence: "A change replaces the decision: the questions are asked again, which is billed.",
      cell: "replaces, one call",
    },
    importNote: "`import` does not work, because the service keeps no answers.",
    page: "docs/decision.md",
  },
];
