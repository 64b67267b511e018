import { createHash } from "node:crypto";
import { oncePer } from "../once";
import { attempt } from "../describe-thrown";
import { isRecord } from "./values";

/*
 * The types of the resources. Each exists twice, with the same life cycles: in the dynamic provider, for programs in
 * TypeScript and JavaScript, and in the native plugin, for every language.
 */

export type ResourceKind = "voice" | "image" | "decision";

const kinds = new Map<string | undefined, ResourceKind>([
  // @persisted
  ["CloudVoice", "voice"],
  ["GeneratedImage", "image"],
  ["Decision", "decision"],
]);

/** The kind of a resource of this package, by its type in a state or preview. Undefined for any other resource. */
export function resourceKind(type: string): ResourceKind | undefined {
  return kinds.get(/^(?:pulumi-nodejs:dynamic\/cloudvoice|cloudvoice:index):(\w+)$/.exec(type)?.[1]);
}

/** The type of a component whose voices are resources of the plugin or of the dynamic provider. */
export const voiceCatalogType = "cloudvoice:index:VoiceCatalog";

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

/**
 * The URN that the resource has, or would have, with the dynamic provider. Generated names, labels and notes are
 * derived from it, so a resource keeps them when it moves to the other provider.
 */
export function dynamicUrn(urn: string): string {
  // urn:pulumi:<stack>::<project>::<types of the parents and its own, joined by $>::<name>
  return urn
    .split("::")
    .map((part, index) => (index === 2 ? dynamicTypes(part) : part))
    .join("::");
}

/** Cached, because a thousand voices have the same types. */
const dynamicTypes = oncePer((types: string) => types.split("$").map(dynamicType).join("$"));

export function typeIn(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}

/** Whether the engine makes the provider from the stack's configuration, because the program declares none. */
export function isDefaultProvider(urn: string): boolean {
  return /::default(_[0-9][^:]*)?$/.test(urn);
}

/** The name of the resource in the program, which may contain `::`. */
export function nameInUrn(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

/** The stack of a resource by its URN, as questions name it: `project/stack`. */
export function stackOfUrn(urn = ""): string {
  const name = stackIn(urn);
  return name ? `${name.project}/${name.stack}` : "";
}

function dynamicType(type: string): string {
  const name = type.slice(type.lastIndexOf(":") + 1);
  return resourceKind(type) === undefined ? type : `pulumi-nodejs:dynamic/cloudvoice:${name}`;
}

/**
 * The name of a resource, with a hash that distinguishes equal names under different parents. `urn`: from {@link
 * dynamicUrn}, so that a resource keeps its label when it moves to the other provider.
 */
export function resourceLabel(urn: string): string {
  return `${nameInUrn(urn)}-${createHash("sha256").update(urn).digest("hex").slice(0, 16)}`;
}

/** The name of the resource with this label, or the text itself. */
export function nameInLabel(label: string): string {
  return label.replace(/-[0-9a-f]{16}$/, "");
}

export interface StackName {
  project: string;
  stack: string;
}

/** The project and the stack in a URN, `urn:pulumi:<stack>::<project>::…`. */
export function stackIn(urn: string): StackName | undefined {
  const [, stack, project] = /^urn:pulumi:([^:]+)::([^:]+)::/.exec(urn) ?? [];
  return stack === undefined || project === undefined ? undefined : { project, stack };
}

/** The parts of `organization/project/stack`. In a backend from before Pulumi 3.61, a name has only the stack. */
export function partsOf(name: string) {
  const [stack = "", project, organization] = name.split("/").reverse();
  return { stack, project, organization };
}

/** Whether this may be the stack's name, in any organization. A short name is one of any project. */
export function isNamed({ project, stack }: StackName, name: string): boolean {
  const parts = partsOf(name);
  return parts.stack === stack && (parts.project ?? project) === project;
}

/**
 * Facts about a resource that a program in TypeScript, or a catalog, passes to `check` beside the inputs. `check` does
 * not save them in the state. Workaround: the engine does not pass these facts to a provider.
 */
export interface ToldIdentity {
  /** The organization of the stack. Generated names depend on it, unless the setting `namespace` is set. */
  organization?: string;
  /** Whether the old voice is deleted before the new one is created. The quota check needs this fact. */
  deleteBeforeReplace?: boolean;
  /** The labels of the gates that the resource waits for, except gates of other providers. */
  gates?: string[];
}

/** The identity as one text for the plugin, because the engine logs and copies each field of an object separately. */
export const identityText = (told: ToldIdentity): string => JSON.stringify(told);

export function identityIn(text: unknown): ToldIdentity | undefined {
  const told = attempt((): unknown => JSON.parse(String(text)));
  return isRecord(told) ? told : undefined;
}

/** The identity for a dynamic provider, to which the engine does not pass the URN either. */
export interface ResourceIdentity extends ToldIdentity {
  urn: string;
  /** Whether the program marks the paths of recordings (provider-text.ts). */
  marksPaths?: boolean;
}
