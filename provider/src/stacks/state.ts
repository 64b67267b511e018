import * as z from "zod";
import { InputError } from "../errors";
import type { Recorded } from "../rules/addresses";
import { isRecord } from "../rules/is-record";
import { dynamicUrn, isVoiceSet, nameInUrn, resourceKind } from "../rules/resource-types";
import { type CheckedVoice, hasGeneratedName } from "../rules/voice";
import { storedRights } from "../rules/rights";
import { isNameOf, type NameSource } from "../rules/own-name";
import { isHiddenSecret, withPlaintexts } from "../rules/unknown";
import { visible } from "../rules/visible";
import {
  damageIn,
  type HeldVoice,
  matchedEntries,
  namedApart,
  onlyEntries,
  setState,
  voicesAsResources,
  type WantedEntry,
} from "../rules/voice-set";
import { isReplacedOnDemand, processOf, type VoiceHolder } from "../voices/holder";

/** A secret part of the state names voices, so its voices are not known. Read the state again with its secrets. */
export class HiddenVoicesError extends InputError {}

/** A create that the engine began, but whose end is not saved, because the run was killed. */
export interface PendingCreate extends NameSource {
  /** Undefined if the name is unknown or secret. */
  preferredName: string | undefined;
}

/** A create, update or delete of a `VoiceSet` that the engine began, but whose end is not saved. */
export interface PendingUpdate {
  /** The pending operation of a create stays in the state even after a later update has created the set. */
  isCreate: boolean;
  urn: string;
  /** Whether secret parts name voices, which `intended` then lacks. */
  hidesNames: boolean;
  /** The generated names of the voices that the operation was about to create, and the sources of the names. */
  intended: (NameSource & { preferredName: string; targetModel: string })[];
}

/** A `VoiceSet` in a state. */
export interface SavedSet {
  instance: string;
  urn: string;
  /** The number of the set's last update whose outcome is known. Infinity if the state does not show it. */
  updates: number;
  /** All its voices, including superseded ones. */
  voices: readonly string[];
  /** Voices that left the set and stay in the account. */
  released: readonly string[];
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
  pendingUpdates: PendingUpdate[];
  /** The sets, by the keys of their logs. */
  instances: ReadonlyMap<string, SavedSet>;
  /** Whether a pending operation has secrets, without which its names can't be generated again. */
  hidesNames: boolean;
  /** Whether any operation is pending, also of other packages. */
  hasPending: boolean;
  /** The ids of all resources of this package that Pulumi manages. */
  ids: ReadonlySet<string>;
  /** The addresses with which the resources were created, and the provider processes that serve them. */
  addresses: (Recorded & { process: string })[];
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
  /**
   * The URN of another resource. When that resource is deleted, the engine drops this one too, without a call to the
   * provider.
   */
  deletedWith: z.string().optional(),
  replaceWith: z.array(z.string()).nullish(),
  replacementTrigger: z.unknown().optional(),
  inputs: properties,
  outputs: properties,
});
export type SavedResource = z.infer<typeof savedResource>;

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
    instances: new Map(managed.flatMap(({ set }) => (set ? [[set.instance, set] as const] : []))),
    holders: voicesOf(managed),
    readers: voicesOf(ours.filter(({ external }) => external)),
    pendingCreates: pending
      .flatMap(intendedBy)
      .map(({ urn, inputs }) => ({ urn: dynamicUrn(urn), inputs, preferredName: ifText(inputs.preferredName) })),
    pendingUpdates,
  };
}

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

/** The voices that a pending operation creates: those of a `CloudVoice`, or new ones of a set. */
function intendedBy({ type, resource }: { type: string; resource: SavedResource }): SavedResource[] {
  if (resourceKind(resource.type) === "voice") return type === "creating" ? [inClear(resource)] : [];
  // When a set is deleted, its inputs do not count. After a failed update, the inputs are old, and may name existing
  // voices that were removed from the set.
  if (!isVoiceSet(resource.type) || type === "deleting") return [];
  const set = inClear(resource);
  if (hidesEntries(set)) return [];
  const existing = [...voicesAsResources(set, set.urn)].map(([key, { inputs }]) => ({ key, inputs: readable(inputs) }));
  const entries = [...voicesAsResources(set, set.urn, true)];
  const wanted = entries.map(([key, { inputs }]): [string, WantedEntry] => {
    const hidden = Object.keys(inputs).filter((name) => !(name in readable(inputs)));
    return [key, { inputs: readable(inputs), unknown: new Set(hidden) }];
  });
  const { kept } = matchedEntries(existing, new Map(wanted));
  const created = entries.filter(([key]) => !kept.has(key));
  const made = existing.map(({ inputs }) => inputs);
  const named = namedApart(made, new Map(created.map(([key, { inputs }]) => [key, inputs])));
  return created.map(([key, entry]) => ({ ...entry, inputs: named.get(key) ?? entry.inputs }));
}

/** Leaves out secrets that were not read, because their content is not known. */
function readable(inputs: object): Partial<CheckedVoice> {
  return Object.fromEntries(Object.entries(inputs).filter(([, value]) => !isHiddenSecret(value)));
}

/** Whether declared entries of a set, or the defaults that complete them, are secret. */
function hidesEntries({ inputs: { voices, defaults } }: SavedResource): boolean {
  return [voices, defaults, ...(isRecord(voices) ? Object.values(voices) : [])].some(isHiddenSecret);
}

interface SavedEntry {
  external: boolean;
  id?: string | undefined;
  address?: Recorded & { process: string };
  holder?: Omit<VoiceHolder, "stack"> | undefined;
  set?: SavedSet;
}

/** A resource of this package and its voice. A set has one entry per voice; resources of other packages have none. */
function entryOf(resource: SavedResource): SavedEntry[] {
  if (isVoiceSet(resource.type)) {
    const set = withReadableVoices(inClear(resource));
    const voices = voicesOfSet(set).flatMap(entryOf);
    const { instance, updates, released } = set.outputs;
    if (set.delete || typeof instance !== "string") return voices;
    const saved: SavedSet = {
      ...{ instance, urn: set.urn, updates: typeof updates === "number" ? updates : Infinity },
      voices: voices.flatMap(({ id }) => id ?? []),
      released: Array.isArray(released) ? released.map(String) : [],
    };
    return [{ external: set.external, set: saved }, ...voices];
  }
  const { id, external, urn, provider } = resource;
  const { account } = resource.outputs;
  const kind = resourceKind(resource.type);
  if (kind === undefined) return [];
  const process = processOf({ urn: dynamicUrn(urn), savedUrn: urn, provider: providerIn(provider) });
  const address = { kind, account: ifText(account), process };
  return [{ id, external, address, holder: holderOf(resource) }];
}

/** The URN in a provider reference, which is a URN, `::` and an id. */
export const providerIn = (reference: string | undefined) => reference?.replace(/::[^:]*$/, "");

/** Treats a replaced voice that could not be deleted yet as an old copy of its entry. */
function voicesOfSet(set: SavedResource): SavedResource[] {
  // Other fields of the state may be secret, or do not matter here.
  const { voices, superseded } = set.outputs;
  const damage = damageIn({ voices, superseded, instance: "", updates: 0 });
  if (damage.length > 0)
    throw new InputError(
      `The state of ${nameInUrn(set.urn)} is damaged, so its voices are not known: ${visible(damage.join(", "))} ` +
        "cannot be read. Import an earlier state, which `pulumi stack export --version <number>` prints.",
    );
  const old = ((superseded ?? []) as HeldVoice[]).flatMap(({ key, state }) => {
    const outputs = { ...setState(onlyEntries([[key, state]]), { instance: "", updates: 0 }) };
    return [...voicesAsResources({ ...set, delete: true, outputs }, set.urn).values()];
  });
  return [...voicesAsResources(set, set.urn).values(), ...old];
}

/** The set with its voices' names in clear: from the output `made` if the output `voices` is secret. */
function withReadableVoices(set: SavedResource): SavedResource {
  const { voices, superseded } = set.outputs;
  const isHidden = (entry: unknown) => isHiddenSecret(entry) || (isRecord(entry) && isHiddenSecret(entry.voice));
  const hides = (entries: unknown) =>
    isHiddenSecret(entries) || (isRecord(entries) && Object.values(entries).some(isHidden));
  const hidesOld = (each: unknown) =>
    isRecord(each) && (isHiddenSecret(each) || isHiddenSecret(each.key) || isHidden(each.state));
  if (isHiddenSecret(superseded) || (Array.isArray(superseded) && superseded.some(hidesOld))) throw hiddenVoices(set);
  const made = isRecord(set.outputs.made) && !hides(set.outputs.made) ? set.outputs.made : {};
  if (!hides(voices)) return { ...set, outputs: { ...set.outputs, made } };
  const isNamed = (entry: unknown) => isRecord(entry) && ifText(entry.voice);
  const isWhole = isHiddenSecret(voices) || Object.keys(voices as object).every((key) => key in made);
  if (Object.keys(made).length === 0 || !isWhole || !Object.values(made).every(isNamed)) throw hiddenVoices(set);
  return { ...set, outputs: { ...set.outputs, voices: made } };
}

function hiddenVoices({ urn }: SavedResource): HiddenVoicesError {
  return new HiddenVoicesError(`the voices of ${nameInUrn(urn)} are secret in its state`);
}

/** The resource, in clear where the state was read with its secrets. */
function inClear(resource: SavedResource): SavedResource {
  const inputs = withPlaintexts(resource.inputs) as SavedResource["inputs"];
  return { ...resource, inputs, outputs: withPlaintexts(resource.outputs) as SavedResource["outputs"] };
}

function holderOf(saved: SavedResource): SavedEntry["holder"] {
  const { urn, type, id, inputs, outputs, ...entry } = inClear(saved);
  if (resourceKind(type) !== "voice" || id === undefined) return undefined;
  const values = { ...inputs, ...outputs };
  // The inputs of an adopted voice have the generated name, which the voice does not have.
  const nameSource = outputs.adopted === true || isHiddenSecret(outputs.adopted) ? outputs : values;
  return {
    ...{ urn: dynamicUrn(urn), savedUrn: urn, voice: id, isOld: entry.delete, retained: entry.retainOnDelete },
    provider: providerIn(entry.provider),
    label: ifText(values.label),
    deletedWith: entry.deletedWith === undefined ? undefined : dynamicUrn(entry.deletedWith),
    isReplacedOnDemand: isReplacedOnDemand(entry),
    account: ifText(values.account),
    ...{ rights: storedRights(inputs.rights), audio: ifText(values.audio), audioSha256: ifText(values.audioSha256) },
    createdAt: ifText(values.createdAt),
    madeFrom: values,
    generatedName: hasGeneratedName(nameSource) ? ifText(nameSource.preferredName) : undefined,
  };
}

function ifText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
