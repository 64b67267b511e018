import { decisionInputs } from "./decision-inputs";
import { decisionOutputs } from "./decision-outputs";
import { imageInputs } from "./image-inputs";
import { imageOutputs } from "./image-outputs";
import { type InputsSchema, inputsThat } from "./inputs";
import { outputsIn, type OutputsSchema } from "./outputs";
import type { ResourceKind } from "./resource-types";
import { voiceInputs } from "./voice-inputs";
import { voiceOutputs } from "./voice-outputs";

/** A resource: its inputs, its outputs, and what is known of it after an import. */
export interface DeclaredResource {
  /** The name of the class. */
  name: string;
  /** Full sentences in Markdown. */
  description: string;
  /** A part of a program in TypeScript. */
  example: string;
  inputs: InputsSchema;
  outputs: OutputsSchema;
  /** The main input, which nobody knows of an imported resource: its state lacks it until an update. */
  requiredAfterImport: string;
  /**
   * The inputs, and the facts that a check adds to them, that the state of an imported resource may lack. Their first
   * declared values are accepted as the current ones.
   */
  acceptedAfterImport: readonly string[];
}

export const resources: Readonly<Record<ResourceKind, DeclaredResource>> = {
  voice: {
    name: "CloudVoice",
    description:
      "A cloned voice of the service. It is created from a recording for 0.01 US dollars, and deleted with the resource. " +
      "It counts towards the account's quota of 1,000 voices.",
    example: `const narrator = new CloudVoice("narrator", {
  targetModel: "svc3-tts-vc-2026-01-22",
  audio: "audio/narrator.wav",
  language: "en",
});
export const voice = narrator.voice;`,
    inputs: voiceInputs,
    outputs: voiceOutputs,
    requiredAfterImport: "audio",
    acceptedAfterImport: [...inputsThat("replaces", voiceInputs), "audio", "audioSha256", "audioSeconds"],
  },
  image: {
    name: "GeneratedImage",
    description:
      "Images that an asynchronous task generates from a prompt. The task is submitted once. The images are downloaded " +
      "when it has ended, because the service keeps them for a day only.",
    example: `const cover = new GeneratedImage("cover", {
  model: "svc-image-plus",
  prompt: "A lighthouse at dusk",
  saveTo: "covers",
});
export const file = cover.images[0].file;`,
    inputs: imageInputs,
    outputs: imageOutputs,
    requiredAfterImport: "prompt",
    acceptedAfterImport: inputsThat("replaces", imageInputs),
  },
  decision: {
    name: "Decision",
    description:
      "A decision that is made once and kept in the state, so that every preview and update sees the same answers. With " +
      "`expect` it is a gate: resources that depend on it are created only if the answers meet the expectations.",
    example: `const gate = new Decision("gate", {
  state: releaseNotes,
  questions: { risky: question.noul("Do these notes announce a breaking change?") },
  expect: { risky: { max: 0.2 } },
});`,
    inputs: decisionInputs,
    outputs: decisionOutputs,
    requiredAfterImport: "state",
    // A decision can't be imported.
    acceptedAfterImport: [],
  },
};

/** The outputs that the service makes from inputs, and these inputs: they are secret when one of them is. */
export function derivedOutputs({ outputs }: DeclaredResource): { names: string[]; from: readonly string[] } {
  const derived = outputsIn(outputs).filter(({ meaning }) => meaning.derivedFrom !== undefined);
  return { names: derived.map(({ name }) => name), from: derived[0]?.meaning.derivedFrom ?? [] };
}

/** The outputs that an update may change although no input differs. */
export function updatableOutputs({ outputs }: DeclaredResource): string[] {
  return outputsIn(outputs).flatMap(({ name, meaning }) => (meaning.updatable ? [name] : []));
}

/** The outputs that programs see and that are no inputs. */
export function addedOutputs({ inputs, outputs }: DeclaredResource): string[] {
  return outputsIn(outputs)
    .filter(({ name, meaning }) => meaning.internal !== true && !(name in inputs.shape))
    .map(({ name }) => name);
}
