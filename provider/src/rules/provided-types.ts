import { voiceCatalogType } from "./resource-types";

/** The types of the resources. Every state file contains them, so they never change. */
export const resourceTypes = {
  cloudVoice: "pulumi-nodejs:dynamic/cloudvoice:CloudVoice",
  generatedImage: "pulumi-nodejs:dynamic/cloudvoice:GeneratedImage",
  decision: "pulumi-nodejs:dynamic/cloudvoice:Decision",
  voiceCatalog: voiceCatalogType,
} as const;

export const nativeTypes = {
  cloudVoice: "cloudvoice:index:CloudVoice",
  generatedImage: "cloudvoice:index:GeneratedImage",
  decision: "cloudvoice:index:Decision",
} as const;

export type ProvidedResource = keyof typeof nativeTypes;
