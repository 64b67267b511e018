import type * as pulumi from "@pulumi/pulumi";
import { durationSeconds } from "../rules/image";
import type { ProvidedResource } from "../rules/provided-types";
import { cloudVoiceNames, decisionNames, generatedImageNames, type ResourceNames } from "../../generated/names";
import { audioInput } from "./paths";

/** The differences between the classes of the resources. */
export interface ResourceDefinition {
  resource: ProvidedResource;
  names: ResourceNames;
  /**
   * Inputs that the class changes or adds, e.g. `timeoutSeconds`. Workaround: the engine does not pass `customTimeouts`
   * to a dynamic provider.
   */
  madeInputs?: (
    args: Record<string, unknown>,
    opts: pulumi.CustomResourceOptions,
    pathOf: (path: string) => string,
  ) => object;
  /** The advice in the error that the option `import` causes with the dynamic provider. */
  insteadOfImport: (id: unknown) => string;
}

export const cloudVoice: ResourceDefinition = {
  resource: "cloudVoice",
  names: cloudVoiceNames,
  madeInputs: ({ audio }, _, pathOf) => ({ audio: audioInput(audio as string, pathOf) }),
  insteadOfImport: (id) => `set adopt: ${JSON.stringify(id)} instead`,
};

export const generatedImage: ResourceDefinition = {
  resource: "generatedImage",
  names: generatedImageNames,
  madeInputs: ({ timeoutSeconds }, { customTimeouts }) => ({
    timeoutSeconds: timeoutSeconds ?? (customTimeouts?.create && durationSeconds(customTimeouts.create)),
  }),
  insteadOfImport: (id) =>
    `the service does not list tasks; set adoptTask: ${JSON.stringify(id)} within a day of the task's submission`,
};

export const decision: ResourceDefinition = {
  resource: "decision",
  names: decisionNames,
  insteadOfImport: () =>
    "the service does not keep answers; declare the decision, so that the questions are asked again",
};
