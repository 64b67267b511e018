import * as z from "zod";
import { dynamicUrn, resourceKind } from "../../rules/resource-types";
import { hasGeneratedName } from "../../rules/voice";
import { type Rights, storedRights } from "../../rules/rights";
import { isHiddenSecret, withPlaintexts } from "../../rules/values";

/** A resource in a saved state, with its voice. An old copy has its voice until the engine deletes the copy. */
export interface VoiceHolder {
  stack: string;
  /** The URN that the resource has with the dynamic provider, or would have. It identifies the resource. */
  urn: string;
  savedUrn: string;
  voice: string;
  /** The fingerprint of the account that the state records for the voice. */
  account?: string | undefined;
  /** The preferred name, if the state records that it was generated. Not a proof: see `isNameOfHolder`. */
  generatedName?: string | undefined;
  /** The inputs and outputs in the state, from which the generated name can be computed again. */
  content?: Readonly<Record<string, unknown>> | undefined;
  rights?: Rights | undefined;
  /** The path or URL of the recording, and its hash if it is a file. */
  audio?: string | undefined;
  audioSha256?: string | undefined;
  createdAt?: string | undefined;
}

/** A create that the engine began, but whose end is not saved, because the run was killed. */
export interface PendingCreate {
  urn: string;
  /** Undefined if the name is unknown or secret. */
  preferredName: string | undefined;
}

export interface StackState {
  stack: string;
  holders: VoiceHolder[];
  /**
   * Resources that a program only reads (`CloudVoice.get`). They hold no voices, because Pulumi never deletes voices of
   * such resources.
   */
  readers: VoiceHolder[];
  pendingCreates: PendingCreate[];
}

const properties = z.record(z.string(), z.unknown()).default({});
/** A resource as a state describes it. */
const savedResource = z.object({
  urn: z.string(),
  type: z.string(),
  id: z.string().optional(),
  external: z.boolean().default(false),
  inputs: properties,
  outputs: properties,
});
type SavedResource = z.infer<typeof savedResource>;

/**
 * The output of `pulumi stack export`. It has no deployment before the first update. A state may be large, so only the
 * needed fields of its resources are kept.
 */
export const exportedStack = z.object({
  deployment: z
    .object({
      resources: z.array(savedResource.transform(entryOf)).nullish(),
      pending_operations: z.array(z.object({ type: z.string(), resource: savedResource })).nullish(),
    })
    .nullish(),
});

export function stateOf(stack: string, { deployment }: z.infer<typeof exportedStack>): StackState {
  const ours = (deployment?.resources ?? []).flatMap((entry) => entry ?? []);
  const pending = deployment?.pending_operations ?? [];
  const managed = ours.filter(({ external }) => !external);
  const voicesOf = (entries: typeof ours) => entries.flatMap(({ holder }) => (holder ? [{ ...holder, stack }] : []));
  return {
    stack,
    holders: voicesOf(managed),
    readers: voicesOf(ours.filter(({ external }) => external)),
    pendingCreates: pending
      .filter(({ type, resource }) => type === "creating" && resourceKind(resource.type) === "voice")
      .map(({ resource: { urn, inputs } }) => ({ urn: dynamicUrn(urn), preferredName: ifText(inputs.preferredName) })),
  };
}

/** A resource of this package, and its voice. Undefined for a resource of another package. */
function entryOf(resource: SavedResource) {
  if (resourceKind(resource.type) === undefined) return undefined;
  return { external: resource.external, holder: holderOf(resource) };
}

/** The resource, in clear where the state was read with its secrets. */
function inClear(resource: SavedResource): SavedResource {
  const inputs = withPlaintexts(resource.inputs) as SavedResource["inputs"];
  return { ...resource, inputs, outputs: withPlaintexts(resource.outputs) as SavedResource["outputs"] };
}

function holderOf(saved: SavedResource): Omit<VoiceHolder, "stack"> | undefined {
  const { urn, type, id, inputs, outputs } = inClear(saved);
  if (resourceKind(type) !== "voice" || id === undefined) return undefined;
  const values = { ...inputs, ...outputs };
  // The inputs of an adopted voice have a generated name. Its true name is in the outputs.
  const nameSource = outputs.adopted === true || isHiddenSecret(outputs.adopted) ? outputs : values;
  return {
    ...{ urn: dynamicUrn(urn), savedUrn: urn, voice: id },
    account: ifText(values.account),
    ...{ rights: storedRights(inputs.rights), audio: ifText(values.audio), audioSha256: ifText(values.audioSha256) },
    createdAt: ifText(values.createdAt),
    content: values,
    generatedName: hasGeneratedName(nameSource) ? ifText(nameSource.preferredName) : undefined,
  };
}

function ifText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
