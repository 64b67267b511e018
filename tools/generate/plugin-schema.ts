import { z } from "zod";
import { version } from "../../provider/package.json";
import { environmentName } from "../../provider/src/rules/find-setting";
import { type InputMeaning, inputsIn } from "../../provider/src/rules/inputs";
import { settingMeanings, settingType } from "../../provider/src/rules/settings";
import { paragraphs } from "./arguments";
import { answersOf, outputs, type Property, types } from "./plugin-outputs";
import { type ResourceDescription, resources } from "./resources";

/**
 * The schema of the native plugin, in the format of Pulumi's package schemas. Pulumi generates the SDKs of all
 * languages from it.
 */
export function pluginSchema(): object {
  const settings = settingProperties();
  return {
    name: "cloudvoice",
    displayName: "CloudVoice",
    version,
    description: "Cloned voices, generated images and typed decisions of a cloud AI service",
    keywords: ["voice", "text-to-speech", "category/cloud"],
    license: "Apache-2.0",
    language: {
      nodejs: { packageName: "pulumi-cloudvoice-sdk", respectSchemaVersion: true },
      python: { packageName: "pulumi_cloudvoice", respectSchemaVersion: true, pyproject: { enabled: true } },
      go: { importBasePath: "pulumi-cloudvoice.local/sdk/go/cloudvoice", respectSchemaVersion: true },
      csharp: { respectSchemaVersion: true },
    },
    config: { variables: settings },
    types,
    provider: {
      description: "An account of the service. Only a program that uses several accounts declares providers.",
      inputProperties: settings,
    },
    resources: Object.fromEntries(
      resources.map((resource) => [`cloudvoice:index:${resource.name}`, resourceSchema(resource)]),
    ),
    functions: {
      "cloudvoice:index:getVoices": {
        description: "Lists the account's voices whenever the program runs, in previews too. Free of charge.",
        inputs: {
          properties: {
            targetModel: { type: "string", description: "Only voices bound to this synthesis model." },
          },
        },
        outputs: {
          properties: {
            voices: { type: "array", items: { $ref: "#/types/cloudvoice:index:ListedVoice" } },
            total: { type: "integer", description: "How many voices the account has, whatever the filter." },
            quota: { type: "integer", description: "The setting `voiceQuota`." },
            remaining: { type: "integer" },
          },
          required: ["quota", "remaining", "total", "voices"],
        },
      },
      "cloudvoice:index:decisionCheck": decisionCheck(),
    },
  };
}

function settingProperties(): Record<string, Property> {
  return Object.fromEntries(
    settingMeanings().map(([name, { description, default: fallback }]) => [
      name,
      {
        type: settingType(name),
        // A link to another page of docs leads nowhere from a schema.
        description: `${description.replace(/\[(.*?)\]\((.*?)\)/g, "$1 (docs/$2)")}\n\nDefault: ${fallback}.`,
        ...(name === "apiKey" && { secret: true }),
        defaultInfo: { environment: [environmentName(name)] },
      },
    ]),
  );
}

function resourceSchema(resource: ResourceDescription): object {
  const { name, inputs } = resource;
  const { description, properties, required } = outputs[name] ?? { description: "", properties: {}, required: [] };
  const inputProperties = Object.fromEntries(
    inputsIn(inputs).map(({ name: input, schema, meaning }) => [
      input,
      {
        ...inputType(input, schema),
        description: paragraphs(
          { ...meaning, description: meaning.pluginDescription ?? meaning.description },
          resource,
        ).join("\n\n"),
        ...replaceOnChanges(meaning),
      },
    ]),
  );
  const requiredInputs = inputsIn(inputs)
    .filter(({ schema }) => !schema.safeParse(undefined).success)
    .map(({ name: input }) => input);
  return {
    description,
    properties: { ...inputProperties, ...properties },
    required: [...requiredInputs, ...required].sort(),
    inputProperties,
    requiredInputs: [...requiredInputs].sort(),
    // A stack that moves here from the dynamic provider keeps its resources.
    aliases: [{ type: `pulumi-nodejs:dynamic/cloudvoice:${name}` }],
  };
}

function replaceOnChanges({ change }: InputMeaning): object {
  return change === "replaces" ? { replaceOnChanges: true } : {};
}

const trigger = { oneOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }] };

function inputType(name: string, schema: z.ZodType): Property {
  if (name === "questions")
    return { type: "object", additionalProperties: { $ref: "#/types/cloudvoice:index:Question" } };
  if (name === "expect")
    return { type: "object", additionalProperties: { $ref: "#/types/cloudvoice:index:Expectation" } };
  if (name === "state") return { $ref: "pulumi.json#/Any" };
  const value = schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
  if (value instanceof z.ZodArray) return { type: "array", items: trigger };
  if (value instanceof z.ZodNumber) return { type: value.safeParse(1.5).success ? "number" : "integer" };
  if (value instanceof z.ZodBoolean) return { type: "boolean" };
  if (value instanceof z.ZodString || value instanceof z.ZodEnum) return { type: "string" };
  throw new Error(`The type of the input ${name} needs a place in the plugin's schema: ${value.type}.`);
}

function decisionCheck(): object {
  const decision = resources.find(({ name }) => name === "Decision");
  const asked = inputsIn(decision?.inputs ?? z.object({})).filter(({ name }) => ["state", "questions"].includes(name));
  return {
    description:
      "Asks typed questions about a state whenever the program runs: each preview and each update asks again, is billed " +
      "again, and may get slightly different answers. To ask once and keep the answers, use `Decision`.",
    inputs: {
      properties: Object.fromEntries(
        asked.map(({ name, schema, meaning }) => [
          name,
          { ...inputType(name, schema), description: meaning.pluginDescription ?? meaning.description },
        ]),
      ),
      required: ["questions", "state"],
    },
    outputs: {
      properties: answersOf,
      required: ["answers", "model", "requestId"],
    },
  };
}
