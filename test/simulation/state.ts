import type { Props } from "../../provider/src/lifecycle/lifecycle";
import type { ImageOutput } from "../../provider/src/rules/image";
import { resourceTypes } from "../../provider/src/rules/resource-types";

export type Kind = "voice" | "image" | "decision";

const types: Record<Kind, string> = {
  voice: resourceTypes.cloudVoice,
  image: resourceTypes.generatedImage,
  decision: resourceTypes.decision,
};

/** A resource in the state of a stack. */
export interface Entry {
  /** The same in every copy of this entry, so that a run knows which delete was meant for it. */
  uid: number;
  urn: string;
  kind: Kind;
  /** The provider process that serves it. */
  process: number;
  id: string;
  inputs: Props;
  outputs: Props;
  /** The engine's `delete`: it was replaced, and waits for its delete. */
  isOld: boolean;
  /** It was deleted, and its replacement was not created yet. */
  pendingReplacement: boolean;
  protect: boolean;
  initErrors: string[];
}

export interface PendingCreate {
  urn: string;
  kind: Kind;
  inputs: Props;
}

export interface State {
  entries: Entry[];
  /** Creates that were begun and whose end was not recorded. */
  pendingCreates: PendingCreate[];
}

/** The images in the state of a resource. */
export function imagesOf({ outputs }: Pick<Entry, "outputs">): ImageOutput[] {
  return (outputs.images as ImageOutput[] | undefined) ?? [];
}

export function copyOf({ entries, pendingCreates }: State): State {
  return { entries: entries.map((entry) => ({ ...entry })), pendingCreates: [...pendingCreates] };
}

/** A stack may be named in full, with its organization and project. */
export function urnOf(stack: string, kind: Kind, name: string): string {
  return `${stackUrn(stack)}::${types[kind]}::${name}`;
}

export function nameOf(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}

/** The same resource in another stack. */
export function inStack(urn: string, stack: string): string {
  return urn.replace(/^urn:pulumi:[^:]+::[^:]+/, stackUrn(stack));
}

function stackUrn(name: string): string {
  const [stack = "", project = "program"] = name.split("/").reverse();
  return `urn:pulumi:${stack}::${project}`;
}

/** How the state names a resource of the second process, as if it was one of the plugin. */
export function ofProcess(process: number, urn: string) {
  if (process === 0) return { savedUrn: urn };
  return { savedUrn: urn.replace("pulumi-nodejs:dynamic/cloudvoice:", "cloudvoice:index:") };
}

/** The states as the engine writes them, which encrypts secret inputs and the outputs that are secret with them. */
export function withoutSecrets({ entries, pendingCreates }: State): string {
  const shown = entries.map(({ outputs, ...entry }) => {
    const { images: _, taskOutput: _output, ...others } = outputs;
    // The program marks the outputs that are secret by empty inputs.
    return { ...entry, outputs: entry.inputs.images === "" ? others : outputs };
  });
  const isSecret = (name: string, value: unknown) =>
    ["text", "prompt", "state"].includes(name) || (name === "audio" && String(value).includes("X-Amz-Signature="));
  return JSON.stringify([shown, pendingCreates], (name, value: unknown) =>
    isSecret(name, value) ? "[secret]" : value,
  );
}
