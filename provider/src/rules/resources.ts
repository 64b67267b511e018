import { decisionInputs, decisionStateOutputs } from "./decision-fields";
import { imageInputs, imageOutputs } from "./image-fields";
import { type InputsSchema, inputsThat } from "./inputs";
import { outputsIn, type OutputsSchema } from "./outputs";
import type { ResourceKind } from "./resource-types";
import { voiceInputs, voiceOutputs } from "./voice-fields";

export interface DeclaredResource {
  name: string;
  inputs: InputsSchema;
  outputs: OutputsSchema;
  /** The main input of the resource. The state of an imported resource lacks this input until an update. */
  requiredAfterImport: string;
  /**
   * The inputs, and facts added by a check, that the state of an imported resource may lack. The first values that a
   * program declares for them count as the current ones.
   */
  acceptedAfterImport: readonly string[];
}

export const resources: Readonly<Record<ResourceKind, DeclaredResource>> = {
  voice: {
    name: "CloudVoice",
    inputs: voiceInputs,
    outputs: voiceOutputs,
    requiredAfterImport: "audio",
    acceptedAfterImport: [...inputsThat("replaces", voiceInputs), "audio", "audioSha256", "audioSeconds"],
  },
  image: {
    name: "GeneratedImage",
    inputs: imageInputs,
    outputs: imageOutputs,
    requiredAfterImport: "prompt",
    acceptedAfterImport: inputsThat("replaces", imageInputs),
  },
  decision: {
    name: "Decision",
    inputs: decisionInputs,
    outputs: decisionStateOutputs,
    requiredAfterImport: "state",
    // A decision can't be imported.
    acceptedAfterImport: [],
  },
};

/** The outputs that derive from inputs, and these inputs. The outputs are secret if an input is. */
export function derivedOutputs({ outputs }: DeclaredResource): { names: string[]; from: readonly string[] } {
  const derived = outputsIn(outputs).filter(({ meaning }) => meaning.derivedFrom !== undefined);
  return { names: derived.map(({ name }) => name), from: derived[0]?.meaning.derivedFrom ?? [] };
}

export function addedOutputs({ inputs, outputs }: DeclaredResource): string[] {
  return outputsIn(outputs)
    .filter(({ name, meaning }) => meaning.internal !== true && !(name in inputs.shape))
    .map(({ name }) => name);
}
