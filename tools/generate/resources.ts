import { decisionInputs } from "../../provider/src/rules/decision-inputs";
import { imageInputs } from "../../provider/src/rules/image-inputs";
import type { InputsSchema } from "../../provider/src/rules/inputs";
import { voiceInputs } from "../../provider/src/rules/voice-inputs";

export interface ResourceDescription {
  /** The name of the class. */
  name: string;
  /** The type parameters of the class. */
  parameters?: { declared: string; passed: string };
  inputs: InputsSchema;
  /** What a change does that replaces the resource. */
  replaces: { sentence: string; cell: string };
  /** The file with the class, from which the outputs are read. */
  source: string;
  /** The page of the resource. */
  page: string;
}

export const resources: readonly ResourceDescription[] = [
  {
    name: "CloudVoice",
    inputs: voiceInputs,
    replaces: {
      sentence: "A change replaces the voice: a new one is created for $0.01, and then the old one is deleted.",
      cell: "replaces, $0.01",
    },
    source: "provider/src/pulumi/program/cloud-voice.ts",
    page: "docs/cloud-voice.md",
  },
  {
    name: "GeneratedImage",
    inputs: imageInputs,
    replaces: {
      sentence: "A change replaces the image: a new task is submitted and paid for.",
      cell: "replaces, one task",
    },
    source: "provider/src/pulumi/program/generated-image.ts",
    page: "docs/generated-image.md",
  },
  {
    name: "Decision",
    parameters: { declared: "<Q extends Questions = Questions>", passed: "<Q>" },
    inputs: decisionInputs,
    replaces: {
      sentence: "A change replaces the decision: the questions are asked again, which is billed.",
      cell: "replaces, one call",
    },
    source: "provider/src/pulumi/program/decision.ts",
    page: "docs/decision.md",
  },
];
