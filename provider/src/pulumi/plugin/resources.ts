import { decisionInputs } from "../../rules/decision-inputs";
import { imageInputs } from "../../rules/image-inputs";
import { type InputsSchema, inputsIn } from "../../rules/inputs";
import { voiceInputs } from "../../rules/voice-inputs";
import { decisionLifecycle } from "../provider/decision/lifecycle";
import { imageLifecycle } from "../provider/image/lifecycle";
import type { AnyLifecycle } from "../provider/lifecycle";
import type { Operation } from "../provider/operation";
import { voiceLifecycle } from "../provider/voice/lifecycle";
import type { PackageSchema } from "./schema";

/** What the adapter knows of a resource. */
export interface PluginResource {
  lifecycle: AnyLifecycle;
  schema: InputsSchema;
  /** The outputs that are no inputs. */
  outputs: string[];
  /** The input that the state of an imported resource lacks until an update. */
  mainInput: string;
  /** The inputs that it may lack. The first declared value of each is accepted as the current one. */
  believed: string[];
  /** The output that an update may change although no input differs. */
  unfinishedOutput?: string;
  /** The inputs that make that output secret. */
  derivedFrom: string[];
}

const replacing = (schema: InputsSchema) =>
  inputsIn(schema)
    .filter(({ meaning }) => meaning.change === "replaces")
    .map(({ name }) => name);

export function pluginResources(operation: Operation, { resources }: PackageSchema): Map<string, PluginResource> {
  const all: [token: string, resource: Omit<PluginResource, "outputs">][] = [
    [
      "cloudvoice:index:CloudVoice",
      {
        lifecycle: voiceLifecycle(operation),
        schema: voiceInputs,
        mainInput: "audio",
        believed: [...replacing(voiceInputs), "audio", "audioSha256", "audioSeconds"],
        derivedFrom: [],
      },
    ],
    [
      "cloudvoice:index:GeneratedImage",
      {
        lifecycle: imageLifecycle(operation),
        schema: imageInputs,
        mainInput: "prompt",
        believed: replacing(imageInputs),
        unfinishedOutput: "images",
        derivedFrom: ["prompt", "negativePrompt"],
      },
    ],
    [
      "cloudvoice:index:Decision",
      {
        lifecycle: decisionLifecycle(operation),
        schema: decisionInputs,
        mainInput: "state",
        believed: [],
        unfinishedOutput: "answers",
        derivedFrom: ["state", "questions"],
      },
    ],
  ];
  return new Map(
    all.map(([token, resource]) => {
      const { properties = {}, inputProperties = {} } = resources[token] ?? {};
      const outputs = Object.keys(properties).filter((name) => !(name in inputProperties));
      return [token, { ...resource, outputs }];
    }),
  );
}
