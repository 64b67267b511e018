import * as pulumi from "@pulumi/pulumi";
import { secretsOf, outputsBehind } from "../shared/catalog";
import { cloudVoiceNames } from "../../../generated/names";
import { audioInput } from "./paths";
import { types } from "./register";
import { CloudVoice } from "../../../generated/resources";
import { assertNoProtoKeys, hasOutput, urnOf } from "./sdk";

type Given = Record<string, unknown>;

/* A catalog whose voices the plugin registers (plugin/construct.ts). */

/** What the catalog is registered with. Workaround: the SDK resolves only outputs that are registered. */
export function remoteProperties(
  catalog: string,
  voices: readonly [key: string, given: Given][],
  deleteBeforeReplace: boolean | undefined,
  gates: string[],
): Given {
  // Only an output can be secret.
  const outputs = voices.flatMap(([key, given]) => (hasOutput(given) ? [key, secretsOf(key)] : [key]));
  for (const [key, given] of voices) assertNoProtoKeys(`${catalog}-${key}`, given);
  assertNoProtoKeys(catalog, { voices: Object.fromEntries(voices) });
  return {
    ...Object.fromEntries(outputs.map((property) => [`${catalog}-${property}`, undefined])),
    voices: Object.fromEntries(
      voices.map(([key, given]) => [key, { ...given, audio: audioInput(given.audio as string) }]),
    ),
    deleteBeforeReplace,
    [outputsBehind]: gates,
    manifest: undefined,
  };
}

/** A voice of a catalog, whose outputs come with those of the catalog. */
export function remoteVoice(catalog: pulumi.ComponentResource, name: string, given: Given): CloudVoice {
  const outputs = catalog as unknown as Record<string, pulumi.Output<Given>>;
  const [open, secret] = [outputs[name], outputs[secretsOf(name)]];
  // The SDK takes a promise too.
  const urn = urnOf(types.cloudVoice, name, catalog) as unknown as string;
  const voice = new pulumi.DependencyResource(urn) as pulumi.Resource;
  const mayBeSecret = hasOutput(given);
  const fieldOf = (field: string) =>
    mayBeSecret && cloudVoiceNames.inputs.some((input) => input === field)
      ? pulumi.all([open, secret]).apply(([plain, secrets]) => ({ ...plain, ...secrets })[field])
      : open?.[field];
  const fields = [...cloudVoiceNames.inputs, ...cloudVoiceNames.outputs].map((field) => [field, field]);
  // Made when they are read: of a thousand voices a program reads few.
  for (const [property = "", field = ""] of [...fields, ["id", "voice"]])
    Object.defineProperty(voice, property, { get: () => fieldOf(field), enumerable: true });
  Object.assign(voice, { __pulumiType: types.cloudVoice });
  return Object.setPrototypeOf(voice, CloudVoice.prototype) as CloudVoice;
}
