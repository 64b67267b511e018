import { type DeclaredResource, resources as declared } from "../../provider/src/rules/resources";

export interface ResourceDescription extends DeclaredResource {
  /** The definition that its class passes on (pulumi/program/definitions.ts). */
  definition: string;
  /** What its instances are called in a sentence. */
  instance: { one: string; many: string };
  /** The type parameters of the class. */
  parameters?: { declared: string; passed: string };
  /** What a change does that replaces the resource. */
  replaces: { sentence: string; cell: string };
  /** What the class says of imports. */
  importNote: string;
  /** The page of the resource. */
  page: string;
}

export const resources: readonly ResourceDescription[] = [
  {
    ...declared.voice,
    definition: "cloudVoice",
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
