import type { z } from "zod";
import * as manifest from "../../provider/package.json";
import { environmentName } from "../../provider/src/rules/find-setting";
import { type InputMeaning, inputsIn } from "../../provider/src/rules/inputs";
import { settingMeanings, settingType } from "./settings";
import { decisionOutputs } from "../../provider/src/rules/decision-fields";
import { namedTypes, outputsIn, type OutputsSchema } from "../../provider/src/rules/outputs";
import { resources as declared } from "../../provider/src/rules/resources";
import { voiceListOutputs } from "./functions";
import { registryExamples } from "./examples";
import { membersOf } from "./members";
import { paragraphs, withExample } from "./program";
import { ownRepository, registryFields, sdkNames } from "./registry";
import { type ResourceDescription, resources } from "./resources";
import { isOptional, namedTypesIn, pluginType, pluginTypeName } from "./types";

type Property = Record<string, unknown>;

/** The package schema of the native plugin, from which Pulumi generates the SDKs of all languages. */
export function pluginSchema(): object {
  const settings = settingProperties();
  const names = sdkNames(ownRepository());
  return {
    name: "cloudvoice",
    displayName: "CloudVoice",
    version: manifest.version,
    description: "Cloned voices, generated images and typed decisions of a cloud AI service",
    keywords: ["voice", "text-to-speech", "category/cloud"],
    license: "Apache-2.0",
    ...registryFields(ownRepository()),
    language: {
      // The registry installs by this name. The npm package has the same classes.
      nodejs: {
        packageName: names.nodejs,
        dependencies: { "@pulumi/pulumi": manifest.peerDependencies["@pulumi/pulumi"] },
        typescriptVersion: "^5.0.0",
        respectSchemaVersion: true,
      },
      python: { packageName: names.python, respectSchemaVersion: true, pyproject: { enabled: true } },
      go: { importBasePath: names.go, respectSchemaVersion: true },
      csharp: { rootNamespace: names.csharp, packageReferences: { Pulumi: "3.*" }, respectSchemaVersion: true },
      java: {
        basePackage: names.java,
        dependencies: { "com.pulumi:pulumi": "1.20.0" },
        // Build files name the repository.
        ...(ownRepository() !== undefined && { buildFiles: "gradle" }),
      },
    },
    config: { variables: settings },
    types: { ...typeSchemas(), ...catalogTypes() },
    provider: {
      description: "An account of the service. Only a program that uses several accounts declares providers.",
      inputProperties: settings,
    },
    resources: {
      ...Object.fromEntries(
        resources.map((resource) => [`cloudvoice:index:${resource.name}`, resourceSchema(resource)]),
      ),
      "cloudvoice:index:VoiceCatalog": catalogSchema(),
    },
    functions: {
      "cloudvoice:index:getVoices": {
        description: "Lists the account's voices whenever the program runs, in previews too. Free of charge.",
        inputs: listInputs,
        outputs: objectOf(voiceListOutputs),
      },
      "cloudvoice:index:decisionCheck": decisionCheck(),
    },
  };
}

/** The inputs of `getVoices` and of `pulumi do … list`. */
const listInputs = {
  properties: { targetModel: { type: "string", description: "Only voices bound to this synthesis model." } },
};

function settingProperties(): Record<string, Property> {
  return Object.fromEntries(
    settingMeanings().map(([name, { description, default: fallback }]) => [
      name,
      {
        type: settingType(name),
        // A schema's links to other pages of the docs lead nowhere.
        description:
          `${description.replace(/\[(.*?)\]\((.*?)\)/g, "$1 (docs/$2)")}\n\n` +
          `Environment: \`${environmentName(name)}\`. Default: ${fallback}.`,
        // No `defaultInfo`: the SDKs would pass the environment as arguments, which the state keeps. The plugin reads
        // the environment itself, so a rotated key or a moved address works immediately.
        ...(name === "apiKey" && { secret: true }),
      },
    ]),
  );
}

function inputPropertiesOf(resource: ResourceDescription): Record<string, Property> {
  return Object.fromEntries(
    inputsIn(resource.inputs).map(({ name: input, schema, meaning }) => [
      input,
      {
        ...inputType(schema, meaning),
        description: paragraphs(
          { ...meaning, description: withExample(meaning.pluginDescription ?? meaning.description, meaning) },
          resource,
        ).join("\n\n"),
        ...replaceOnChanges(meaning),
      },
    ]),
  );
}

function resourceSchema(resource: ResourceDescription): object {
  const { name, description, inputs, outputs } = resource;
  const inputProperties = inputPropertiesOf(resource);
  const requiredInputs = inputsIn(inputs)
    .filter(({ schema }) => !isOptional(schema))
    .map(({ name: input }) => input);
  const { properties, required } = objectOf(outputs);
  // A declared output says more than the input of the same name.
  const all = [...Object.entries(inputProperties), ...Object.entries(properties)].map(([property, type]) => [
    property,
    { ...inputProperties[property], ...type },
  ]);
  return {
    description: `${description}\n\n${registryExamples(name)}`,
    properties: Object.fromEntries(all) as Record<string, Property>,
    required: [...new Set([...requiredInputs, ...required])].sort(),
    inputProperties,
    requiredInputs: requiredInputs.sort(),
    ...(name === declared.voice.name && { listInputs }),
    // The alias keeps the resources of a stack that moves from the dynamic provider.
    aliases: [{ type: `pulumi-nodejs:dynamic/cloudvoice:${name}` }],
  };
}

const catalogSource = "provider/src/program/voice-catalog.ts";
const catalogVoice = pluginTypeName("CatalogVoice");
const manifestEntry = pluginTypeName("VoiceManifestEntry");

const describedIn = (declaration: string, types: Record<string, Property>) =>
  Object.fromEntries(
    membersOf(catalogSource, declaration)
      .filter(({ name }) => name in types)
      .map(({ name, description }) => [name, { ...types[name], description }]),
  );

/** The component. Its documentation is that of the class. */
function catalogSchema(): object {
  const mapOf = (type: string) => ({ type: "object", additionalProperties: { $ref: `#/types/${type}` } });
  return {
    isComponent: true,
    description: "The voices of a product. Each is a `CloudVoice` with the name `<catalog>-<key>`.",
    inputProperties: describedIn("VoiceCatalogArgs", {
      voices: mapOf(catalogVoice),
      defaults: { $ref: `#/types/${catalogVoice}` },
      deleteBeforeReplace: { type: "boolean" },
    }),
    requiredInputs: ["voices"],
    properties: describedIn("VoiceCatalog", { manifest: mapOf(manifestEntry) }),
    required: ["manifest"],
  };
}

/** The types inside the component's inputs and outputs. An entry requires no input, because of `defaults`. */
function catalogTypes(): Record<string, object> {
  const manifestFields = membersOf(catalogSource, "VoiceManifestEntry");
  // Workaround: a program in Python (pulumi 3.200) fails if it passes a list where the schema has a text or a list.
  const renames = { renamedFrom: { $ref: "pulumi.json#/Any" } };
  return {
    [catalogVoice]: {
      type: "object",
      description: "The inputs of a voice that a catalog creates, or those that its voices have in common.",
      properties: {
        ...Object.fromEntries(
          resources
            .filter(({ name }) => name === declared.voice.name)
            .flatMap((voice) =>
              Object.entries(inputPropertiesOf(voice)).map(([name, { replaceOnChanges: _, ...property }]) => [
                name,
                property,
              ]),
            ),
        ),
        ...describedIn("VoiceCatalogEntry", renames),
      },
    },
    [manifestEntry]: {
      type: "object",
      description: "What a program that synthesizes speech needs to know about a voice.",
      properties: Object.fromEntries(
        manifestFields.map(({ name, type, description }) => [
          name,
          { type, ...(description !== "" && { description }) },
        ]),
      ),
      required: manifestFields.flatMap(({ name, optional }) => (optional ? [] : [name])).sort(),
    },
  };
}

function replaceOnChanges({ change }: InputMeaning): object {
  return change === "replaces" ? { replaceOnChanges: true } : {};
}

function inputType(schema: z.ZodType, { pluginSchema = schema }: InputMeaning): Property {
  return pluginType(pluginSchema);
}

/** The outputs that programs see, as the properties of an object. */
function objectOf(outputs: OutputsSchema): { properties: Record<string, Property>; required: string[] } {
  const visible = outputsIn(outputs).filter(({ meaning }) => meaning.internal !== true);
  return {
    properties: Object.fromEntries(
      visible.map(({ name, schema, meaning }) => [name, { ...pluginType(schema), description: meaning.description }]),
    ),
    required: visible
      .filter(({ schema }) => !isOptional(schema))
      .map(({ name }) => name)
      .sort(),
  };
}

/** The types of values inside inputs and outputs. */
function typeSchemas(): Record<string, object> {
  const ofOutputs = (outputs: OutputsSchema) => outputsIn(outputs).map(({ schema }) => schema);
  const all = [
    ...ofOutputs(voiceListOutputs),
    ...resources.flatMap(({ inputs, outputs }) => [
      ...ofOutputs(outputs),
      ...inputsIn(inputs).flatMap(({ meaning }) => meaning.pluginSchema ?? []),
    ]),
  ].flatMap(namedTypesIn);
  return Object.fromEntries(
    all.map((type) => {
      const { name, description } = namedTypes.get(type) ?? { name: "", description: "" };
      const { properties, required } = objectOf(type);
      return [
        pluginTypeName(name),
        { type: "object", description, properties, ...(required.length > 0 && { required }) },
      ];
    }),
  );
}

function decisionCheck(): object {
  const asked = inputsIn(declared.decision.inputs).filter(({ name }) => ["state", "questions"].includes(name));
  return {
    description:
      "Asks typed questions about a state whenever the program runs: each preview and each update asks again, is billed " +
      "again, and may get slightly different answers. To ask once and keep the answers, use `Decision`.",
    inputs: {
      properties: Object.fromEntries(
        asked.map(({ name, schema, meaning }) => [
          name,
          { ...inputType(schema, meaning), description: meaning.pluginDescription ?? meaning.description },
        ]),
      ),
      required: ["questions", "state"],
    },
    outputs: objectOf(decisionOutputs),
  };
}
