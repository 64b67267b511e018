import type { Props } from "../../provider/src/pulumi/provider/lifecycle";
import type { ImageOutput } from "../../provider/src/rules/image";
import { partsOf } from "../../provider/src/stacks/names";
import { type StackState, stateOf } from "../../provider/src/stacks/state";
import type { StateReader } from "../../provider/src/stacks/states";
import { processOf } from "../../provider/src/voices/holder";
import { resourceTypes } from "../../provider/src/pulumi/shared/resource-types";

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
  /** Somebody copied it from the state of another stack. */
  forged?: { keepsUrn: boolean };
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
  const { stack, project = "program" } = partsOf(name);
  return `urn:pulumi:${stack}::${project}`;
}

/** How the state names a resource of the second process, as if it was one of the plugin, and its provider. */
export function ofProcess(process: number, urn: string) {
  if (process === 0) return { savedUrn: urn };
  const savedUrn = urn.replace("pulumi-nodejs:dynamic/cloudvoice:", "cloudvoice:index:");
  return { savedUrn, provider: "urn:pulumi:dev::program::pulumi:providers:cloudvoice::second" };
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

/**
 * What the provider reads about the states: `pulumi stack export`, as the engine last saved them. `inProject`: that of
 * the working folder.
 */
export function stateReader(
  stacks: () => readonly { name: string; state: State }[],
  moment: () => Promise<void>,
  backend = "simulated",
  {
    inProject = "program",
    isUnreadable = () => false,
  }: { inProject?: string | undefined; isUnreadable?: (name: string) => boolean } = {},
): StateReader {
  const names = async () => {
    await moment();
    return stacks().map(({ name }) => name);
  };
  const isIn = (wanted: string) => (name: string) => (partsOf(name).project ?? wanted) === wanted;
  return {
    async stack(name): Promise<StackState> {
      const found = stacks().find((each) => each.name === name);
      if (found === undefined) throw new Error(`no stack named ${name}`);
      if (isUnreadable(name)) throw new Error("incorrect passphrase");
      const exported = stackState(name, found.state);
      await moment();
      return exported;
    },
    stacks: async (project = inProject) => (await names()).filter(isIn(project)),
    allStacks: names,
    backend: () => Promise.resolve(backend),
  };
}

function stackState(stack: string, { entries, pendingCreates }: State): StackState {
  return {
    ...stateOf(stack, {}),
    ids: new Set(entries.map(({ id }) => id)),
    addresses: entries.map(({ urn, kind, outputs, process }) => ({
      ...{ kind, account: outputs.account as string | undefined },
      process: processOf({ urn, ...ofProcess(process, urn) }),
    })),
    holders: entries
      .filter(({ kind }) => kind === "voice")
      .map(({ urn, id, isOld, outputs, process }) => ({
        ...{ stack, urn, ...ofProcess(process, urn), voice: id, isOld, account: String(outputs.account) },
        createdAt: outputs.createdAt as string | undefined,
        label: outputs.label as string | undefined,
        madeFrom: outputs,
        generatedName: outputs.nameVersion === undefined ? undefined : String(outputs.preferredName),
      })),
    pendingCreates: pendingCreates
      .filter(({ kind }) => kind === "voice")
      .map(({ urn, inputs }) => ({ urn, inputs, preferredName: inputs.preferredName as string | undefined })),
  };
}
