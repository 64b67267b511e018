import * as pulumi from "@pulumi/pulumi";
import { once } from "../once";
import {
  type CatalogVoice,
  type OutputsAsked,
  outputsBehind,
  type PackedOutputs,
  secretsOf,
  unpacked,
} from "../rules/catalog";
import { cloudVoiceNames } from "../../generated/names";
import { audioInput } from "./paths";
import { types } from "./register";
import { CloudVoice } from "../../generated/resources";
import { assertNoProtoKeys, fromPart, hasOutput, urnOf } from "./sdk";

type Given = Record<string, unknown>;
type Catalog = pulumi.ComponentResource;

/* A catalog whose voices the plugin registers (plugin/construct.ts). */

/**
 * The properties with which the catalog is registered. Workaround: the SDK resolves an output only if a property of its
 * name is registered.
 */
export function remoteProperties(
  catalog: string,
  voices: readonly CatalogVoice[],
  deleteBeforeReplace: boolean | undefined,
  gates: Promise<string[]>,
): Given {
  for (const [key, given] of voices) assertNoProtoKeys(`${catalog}-${key}`, given);
  assertNoProtoKeys(catalog, { voices: Object.fromEntries(voices.map(([key]) => [key, true])) });
  const names = voices.map(([key]) => `${catalog}-${key}`);
  // Only an output can be secret.
  const mayBeSecret = voices.flatMap(([key, given]) => (hasOutput(given) ? [`${catalog}-${key}`] : []));
  // The SDK resolves the promise `gates`.
  const asked: Omit<OutputsAsked, "gates"> & { gates: Promise<string[]> } = { gates, mayBeSecret };
  return {
    ...Object.fromEntries([...names, ...mayBeSecret.map(secretsOf)].map((property) => [property, undefined])),
    voices: Object.fromEntries(
      voices.map(([key, given, renamedFrom]) => [
        key,
        { ...given, audio: audioInput(given.audio as string), ...(renamedFrom.length > 0 && { renamedFrom }) },
      ]),
    ),
    deleteBeforeReplace,
    [outputsBehind]: asked,
    manifest: undefined,
  };
}

/**
 * The voices by key, each created when the program first reads it, because a program reads few of a thousand voices.
 */
export function remoteVoices(catalog: Catalog, name: string, keys: readonly string[]): Record<string, CloudVoice> {
  const voices = {};
  for (const key of keys) {
    const get = once(() => remoteVoice(catalog, `${name}-${key}`));
    Object.defineProperty(voices, key, { get, enumerable: true });
  }
  return voices;
}

export function remoteOutput(catalog: Catalog, property: string): pulumi.Output<Given> | undefined {
  const output = (catalog as unknown as Record<string, pulumi.Output<PackedOutputs> | undefined>)[property];
  return output && fromPart(output, unpacked);
}

function remoteVoice(catalog: Catalog, name: string): CloudVoice {
  const [publicOutputs, secretOutputs] = [remoteOutput(catalog, name), remoteOutput(catalog, secretsOf(name))];
  // The SDK accepts a promise as the URN.
  const urn = urnOf(types.cloudVoice, name, catalog) as unknown as string;
  const voice = new pulumi.DependencyResource(urn) as pulumi.Resource;
  const fieldOf = (field: string) =>
    secretOutputs !== undefined && cloudVoiceNames.inputs.some((input) => input === field)
      ? pulumi.all([publicOutputs, secretOutputs]).apply(([plain, secrets]) => ({ ...plain, ...secrets })[field])
      : publicOutputs?.[field];
  const fields = [...cloudVoiceNames.inputs, ...cloudVoiceNames.outputs].map((field) => [field, field]);
  for (const [property = "", field = ""] of [...fields, ["id", "voice"]])
    Object.defineProperty(voice, property, { get: () => fieldOf(field), enumerable: true });
  Object.assign(voice, { __pulumiType: types.cloudVoice });
  return Object.setPrototypeOf(voice, CloudVoice.prototype) as CloudVoice;
}
