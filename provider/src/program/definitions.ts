import { durationSeconds } from "../rules/image";
import type { ProvidedResource } from "../rules/resource-types";
import { cloudVoiceNames, decisionNames, generatedImageNames, type ResourceNames } from "../../generated/names";
import * as pulumi from "@pulumi/pulumi";
import { audioPlace } from "../rules/audio";
import { isRecord } from "../rules/values";
import { unknownNameReason } from "../rules/nearest-name";
import { asOutput, assertPlainObjects } from "./sdk";

/** The differences between the classes of the resources. */
export interface ResourceDefinition {
  resource: ProvidedResource;
  names: ResourceNames;
  /**
   * Inputs that the class changes or adds, e.g. `timeoutSeconds`. Workaround: the engine does not pass `customTimeouts`
   * to a dynamic provider.
   */
  classInputs?: (
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
  classInputs: ({ audio }, _, pathOf) => ({ audio: audioInput(audio as string, pathOf) }),
  insteadOfImport: (id) => `set adopt: ${JSON.stringify(id)} instead`,
};

export const generatedImage: ResourceDefinition = {
  resource: "generatedImage",
  names: generatedImageNames,
  classInputs: ({ timeoutSeconds }, { customTimeouts }) => ({
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

type Audio = string | pulumi.asset.FileAsset | pulumi.asset.RemoteAsset;

/**
 * The input `audio` as a path or URL. Workaround: an asset is converted to its path or URL, because the engine reads or
 * downloads an asset before `check`. `pathOf`: returns a path in the form that is registered.
 */
export function audioInput(audio: pulumi.Input<Audio>, pathOf = (path: string) => path): pulumi.Input<string> {
  // A text does not become an output, because a thousand outputs take time.
  if (typeof audio === "string") return audioText(audio, pathOf);
  return pulumi.output(audio).apply(async (resolvedAudio: unknown) => {
    if (typeof resolvedAudio !== "object" || resolvedAudio === null) return audioText(resolvedAudio, pathOf);
    const { path, uri } = resolvedAudio as { path?: Promise<string>; uri?: Promise<string> };
    // Other kinds of assets have neither a path nor a URL. They become `{}`, which `check` refuses.
    return audioText((await (path ?? uri)) ?? {}, pathOf);
  });
}

function audioText(audio: unknown, pathOf: (path: string) => string): string {
  // `check` refuses a value that is not a text.
  if (typeof audio !== "string") return audio as string;
  // `check` refuses a data URL. Remove the data before `check` runs, so that the data does not become an input: the
  // engine saves inputs in the state.
  if (/^data:/i.test(audio)) return "data:…";
  return "path" in audioPlace(audio) ? pathOf(audio) : audio;
}

export interface Registration {
  type: string;
  props: Record<string, unknown>;
  options: pulumi.CustomResourceOptions;
}

/**
 * The properties with which a resource is registered. Workaround: the SDK resolves an output only if a property of its
 * name is registered. `pathOf`: returns the path of a recording in the form that is registered. `taken`: names of
 * arguments that are refused.
 */
export function propertiesOf(
  { names, classInputs }: ResourceDefinition,
  name: string,
  args: Record<string, unknown>,
  opts: pulumi.CustomResourceOptions,
  pathOf = (path: string) => path,
  taken: readonly string[] = [],
): { passed: Record<string, unknown>; props: Record<string, unknown> } {
  // A program in JavaScript may leave the arguments out.
  if (!isRecord(args)) throw new pulumi.RunError(`${name}: the arguments of ${names.className} must be an object`);
  const passed = Object.fromEntries(names.inputs.map((input) => [input, args[input]]));
  assertPlainObjects(name, passed);
  const inputs = {
    ...Object.fromEntries(Object.entries(passed).map(([input, value]) => [input, asOutput(value)])),
    ...classInputs?.(passed, opts, pathOf),
  };
  const props = {
    ...Object.fromEntries(names.outputs.map((output) => [output, undefined])),
    ...unknownInputs(name, names, args, taken),
    ...inputs,
  };
  return { passed, props };
}

/**
 * Arguments that are not inputs, e.g. misspelt inputs in a JavaScript program. They are registered, so that `check`
 * reports them together with other problems, but as `true`: a value may be secret, or the SDK may be unable to send it.
 */
function unknownInputs(
  name: string,
  { className, inputs }: ResourceDefinition["names"],
  args: Record<string, unknown>,
  taken: readonly string[],
): Record<string, unknown> {
  const unknown = Object.keys(args).filter((each) => !inputs.includes(each) && args[each] !== undefined);
  const hidden = unknown.find((each) => taken.includes(each) || each.startsWith("__"));
  if (hidden !== undefined) {
    const reason = unknownNameReason(hidden, inputs, `an input of ${className}`);
    throw new pulumi.RunError(`${name}: \`${hidden}\` ${reason}`);
  }
  return Object.fromEntries(unknown.map((each) => [each, true]));
}
