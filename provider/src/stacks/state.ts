import * as z from "zod";
import { InputError } from "../errors";
import type { Recorded } from "../rules/addresses";
import { isRecord } from "../rules/is-record";
import { dynamicUrn, isVoiceSet, nameInUrn, resourceKind } from "../rules/resource-types";
import { hasGeneratedName } from "../rules/voice";
import { storedRights } from "../rules/rights";
import { isNameOf, type NameSource } from "../rules/own-name";
import { isHiddenSecret, withPlaintexts } from "../rules/unknown";
import { visible } from "../rules/visible";
import { damageIn, type HeldVoice, setState, type SetState, voicesAsResources } from "../rules/voice-set";
import { isReplacedOnDemand, processOf, type VoiceHolder } from "../voices/holder";

/**
 * The state names voices in a place that is secret, so which voices it has is not known. Read it again with its secrets.
 */
export class HiddenVoicesError extends InputError {}

/** A create that the engine began and whose end it did not save, because the run was killed. */
export interface PendingCreate extends NameSource {
  /** Undefined if the name was not known or is secret. */
  preferredName: string | undefined;
}

/** A create, update or delete of a `VoiceSet` that the engine began and whose end it did not save. */
export interface PendingUpdate {
  /** The engine keeps the pending operation of a create even after a later update has created the set. */
  isCreate: boolean;
  /** The URN of the set in the state. */
  urn: string;
  /** Whether it names voices in a place that is secret, so that they are not among the intended ones. */
  hidesNames: boolean;
  /** The generated names of the voices that it was about to create, with what they are made from. */
  intended: (NameSource & { preferredName: string; targetModel: string })[];
}

export interface StackState {
  stack: string;
  holders: VoiceHolder[];
  /**
   * Resources that a program only reads, with `CloudVoice.get`. Pulumi never deletes their voices, so they hold none.
   */
  readers?: VoiceHolder[];
  pendingCreates: PendingCreate[];
  pendingUpdates?: PendingUpdate[];
  /** The instances of the `VoiceSet`s. */
  instances?: ReadonlySet<string>;
  /** Whether a pending operation has secret content, so that its names can't be made again without the secrets. */
  hidesNames?: boolean;
  /** Whether the engine began any operation, also of other packages, whose end it did not save. */
  hasPending?: boolean;
  /** The ids of all resources of this package that Pulumi manages. */
  ids: ReadonlySet<string>;
  /** The addresses that the resources were made with, and the provider processes that serve them. */
  addresses?: (Recorded & { process: string })[];
}

const properties = z.record(z.string(), z.unknown()).default({});
/** A resource as states and previews describe it. */
export const savedResource = z.object({
  urn: z.string(),
  type: z.string(),
  id: z.string().optional(),
  delete: z.boolean().default(false),
  external: z.boolean().default(false),
  retainOnDelete: z.boolean().default(false),
  provider: z.string().optional(),
  /** `deletedWith`: the URN of a resource. When it is deleted, the engine drops this one too and calls no provider. */
  deletedWith: z.string().optional(),
  replaceWith: z.array(z.string()).nullish(),
  replacementTrigger: z.unknown().optional(),
  inputs: properties,
  outputs: properties,
});

/**
 * The output of `pulumi stack export`. A stack that was never updated has no deployment. Only the needed fields of each
 * resource are kept, because a state may be large.
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
  const ours = (deployment?.resources ?? []).flat();
  const pending = deployment?.pending_operations ?? [];
  const managed = ours.filter(({ external }) => !external);
  const voicesOf = (entries: typeof ours) => entries.flatMap(({ holder }) => (holder ? [{ ...holder, stack }] : []));
  const pendingUpdates = pending.flatMap(updateIn);
  const isHidden = ({ preferredName, ...source }: PendingUpdate["intended"][number]) =>
    isNameOf(source, preferredName, { namespace: "", apiKey: undefined }) === "unknown";
  return {
    stack,
    hidesNames: pendingUpdates.some((each) => each.hidesNames || each.intended.some(isHidden)),
    hasPending: pending.length > 0,
    ids: new Set(managed.flatMap(({ id }) => id ?? [])),
    addresses: managed.flatMap(({ address }) => address ?? []),
    instances: new Set(managed.flatMap(({ instance }) => instance ?? [])),
    holders: voicesOf(managed),
    readers: voicesOf(ours.filter(({ external }) => external)),
    pendingCreates: pending
      .flatMap((operation) =>
        operation.type === "creating" || isVoiceSet(operation.resource.type) ? intendedBy(operation) : [],
      )
      .map(({ urn, inputs }) => ({ urn: dynamicUrn(urn), inputs, preferredName: ifText(inputs.preferredName) })),
    pendingUpdates,
  };
}

/** The update of a set that a pending operation shows. */
function updateIn({ type, resource }: { type: string; resource: SavedResource }): PendingUpdate[] {
  if (!["creating", "updating", "deleting"].includes(type) || !isVoiceSet(resource.type)) return [];
  const entries = intendedBy({ type, resource });
  const hidesName = ({ inputs }: SavedResource) => [inputs.preferredName, inputs.targetModel].some(isHiddenSecret);
  const hidesNames = (type !== "deleting" && hidesEntries(inClear(resource))) || entries.some(hidesName);
  const intended = entries.flatMap(({ urn, inputs }) => {
    const [preferredName, targetModel] = [ifText(inputs.preferredName), ifText(inputs.targetModel)];
    const isKnown = preferredName !== undefined && targetModel !== undefined && hasGeneratedName(inputs);
    return isKnown ? [{ urn: dynamicUrn(urn), inputs, preferredName, targetModel }] : [];
  });
  return [{ urn: resource.urn, isCreate: type === "creating", intended, hidesNames }];
}

type SavedResource = z.infer<typeof savedResource>;

/** The voices that a pending operation makes: a resource of its own, or the new ones of a set. */
function intendedBy({ type, resource }: { type: string; resource: SavedResource }): SavedResource[] {
  if (resourceKind(resource.type) === "voice") return [inClear(resource)];
  // Leave out the inputs of a set that is being deleted. After a failed update they are old, and may name voices that
  // have left the set and stay.
  if (!isVoiceSet(resource.type) || type === "deleting") return [];
  const set = inClear(resource);
  if (hidesEntries(set)) return [];
  const { made = {} } = set.outputs as Partial<SetState>;
  const wanted = [...voicesAsResources(set, set.urn, true)];
  return wanted.flatMap(([key, entry]) =>
    key in made && made[key]?.preferredName === ifText(entry.inputs.preferredName) ? [] : [entry],
  );
}

/** Whether the entries that a set declares are secret, or the defaults that complete them. */
function hidesEntries({ inputs: { voices, defaults } }: SavedResource): boolean {
  return [voices, defaults, ...(isRecord(voices) ? Object.values(voices) : [])].some(isHiddenSecret);
}

/**
 * The resource of this package with the voice that it names. A set gives one entry for each of its voices, and a
 * resource of another package none.
 */
function entryOf(resource: SavedResource): SavedEntry[] {
  if (isVoiceSet(resource.type)) {
    const set = withReadableVoices(inClear(resource));
    const voices = voicesOfSet(set).flatMap(entryOf);
    const instance = ifText(set.outputs.instance);
    return set.delete ? voices : [{ id: undefined, external: set.external, holder: undefined, instance }, ...voices];
  }
  const { id, external, urn, provider } = resource;
  const { origin, account } = resource.outputs;
  const kind = resourceKind(resource.type);
  if (kind === undefined) return [];
  const process = processOf({ urn: dynamicUrn(urn), savedUrn: urn, provider: providerIn(provider) });
  const address = { kind, origin: ifText(origin), account: ifText(account), process };
  return [{ id, external, address, holder: holderOf(resource) }];
}

interface SavedEntry {
  id: string | undefined;
  external: boolean;
  address?: Recorded & { process: string };
  holder: ReturnType<typeof holderOf>;
  instance?: string | undefined;
}

/** A reference to a provider is its URN, `::` and its id. */
const providerIn = (reference: string | undefined) => reference?.replace(/::[^:]*$/, "");

/** Treats a replaced voice that could not be deleted yet as an old copy of its entry. */
function voicesOfSet(set: SavedResource): SavedResource[] {
  // What else the state has may be secret, or of no concern here.
  const { voices, superseded } = set.outputs;
  const damage = damageIn({ voices, superseded, instance: "", updates: 0 });
  if (damage.length > 0)
    throw new InputError(
      `The state of ${nameInUrn(set.urn)} is damaged, so it is not known which voices it has: ${visible(damage.join(", "))} ` +
        "cannot be read. Import a state in which they are whole: `pulumi stack export --version <number>` prints earlier ones.",
    );
  const old = ((superseded ?? []) as HeldVoice[]).flatMap(({ key, state }) => {
    const alone = { voices: new Map([[key, state]]), superseded: [], kept: [] };
    const outputs = { ...setState(alone, { instance: "", updates: 0 }) };
    return [...voicesAsResources({ ...set, delete: true, outputs }, set.urn).values()];
  });
  return [...voicesAsResources(set, set.urn).values(), ...old];
}

/**
 * The set with the names of its voices from its record of what they were made with, where the output that programs see
 * is secret (e.g. `additionalSecretOutputs: ["voices"]`).
 */
function withReadableVoices(set: SavedResource): SavedResource {
  const { voices, made, superseded } = set.outputs;
  const isHidden = (entry: unknown) => isHiddenSecret(entry) || (isRecord(entry) && isHiddenSecret(entry.voice));
  const hides = (entries: unknown) =>
    isHiddenSecret(entries) || (isRecord(entries) && Object.values(entries).some(isHidden));
  const hidesOld = (each: unknown) =>
    isRecord(each) && (isHiddenSecret(each) || isHiddenSecret(each.key) || isHidden(each.state));
  if (isHiddenSecret(superseded) || (Array.isArray(superseded) && superseded.some(hidesOld))) throw hidden(set);
  if (!hides(voices)) return isRecord(made) && !hides(made) ? set : { ...set, outputs: { ...set.outputs, made: {} } };
  const named = isRecord(made) && !hides(made) ? Object.entries(made) : [];
  const shown = Object.fromEntries(
    named.flatMap(([key, entry]) => (isRecord(entry) && ifText(entry.voice) ? [[key, { voice: entry.voice }]] : [])),
  );
  const isWhole = (isHiddenSecret(voices) ? [] : Object.keys(voices as object)).every((key) => key in shown);
  if (named.length === 0 || !isWhole || Object.keys(shown).length < named.length) throw hidden(set);
  return { ...set, outputs: { ...set.outputs, voices: shown } };
}

function hidden({ urn }: SavedResource): HiddenVoicesError {
  return new HiddenVoicesError(`the voices of ${nameInUrn(urn)} are secret in its state`);
}

/** The resource with the secrets that were read with it in clear. */
function inClear(resource: SavedResource): SavedResource {
  const inputs = withPlaintexts(resource.inputs) as SavedResource["inputs"];
  return { ...resource, inputs, outputs: withPlaintexts(resource.outputs) as SavedResource["outputs"] };
}

function holderOf(saved: SavedResource) {
  const { urn, type, id, inputs, outputs, ...entry } = inClear(saved);
  if (resourceKind(type) !== "voice" || id === undefined) return undefined;
  const all = { ...inputs, ...outputs };
  // The inputs of an adopted voice have the name that this package would have generated.
  const named = outputs.adopted === true || isHiddenSecret(outputs.adopted) ? outputs : all;
  return {
    ...{ urn: dynamicUrn(urn), savedUrn: urn, voice: id, isOld: entry.delete, retained: entry.retainOnDelete },
    provider: providerIn(entry.provider),
    label: ifText(all.label),
    deletedWith: entry.deletedWith === undefined ? undefined : dynamicUrn(entry.deletedWith),
    isReplacedOnDemand: isReplacedOnDemand(entry),
    account: ifText(all.account),
    ...{ rights: storedRights(inputs.rights), audio: ifText(all.audio), audioSha256: ifText(all.audioSha256) },
    createdAt: ifText(all.createdAt),
    madeFrom: all,
    generatedName: hasGeneratedName(named) ? ifText(named.preferredName) : undefined,
  } satisfies Omit<VoiceHolder, "stack">;
}

function ifText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
