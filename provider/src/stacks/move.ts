import * as z from "zod";
import { InputError } from "../errors";
import { nameInUrn, voiceCatalogType, voiceSetType } from "../rules/resource-types";
import type { VoiceOutputs } from "../rules/voice";
import { setState } from "../rules/voice-set";

/* Turns the voices of a `VoiceCatalog` in a state into the entries of a `VoiceSet`. */

const urns = z.array(z.string()).nullish();

/** The fields of a resource that are read. All others stay as they are. */
const resource = z.looseObject({
  urn: z.string(),
  type: z.string(),
  parent: z.string().optional(),
  provider: z.string().optional(),
  dependencies: urns,
  propertyDependencies: z.record(z.string(), urns).nullish(),
  deletedWith: z.string().optional(),
  replaceWith: urns,
  inputs: z.record(z.string(), z.unknown()).default({}),
  outputs: z.record(z.string(), z.unknown()).default({}),
});
type Resource = z.infer<typeof resource>;

export const movableStack = z.looseObject({
  deployment: z.looseObject({
    resources: z.array(resource).nullish(),
    pending_operations: z.array(z.unknown()).nullish(),
  }),
});
export type MovableStack = z.infer<typeof movableStack>;

/** Marks of the engine that another update has to clear. */
const unfinished = ["delete", "pendingReplacement", "taint", "initErrors", "external"];
/** Options that a set has only as a whole. */
const ofTheWhole = ["protect", "retainOnDelete", "deletedWith", "provider"];

/**
 * The stack with the set in place of the catalog, and the number of its voices. `name`: the catalog; may be left out if
 * there is only one. Rejects if the set can't express something of the catalog: nothing in a state is guessed or lost.
 */
export function movedToSet(stack: MovableStack, name?: string): { stack: MovableStack; name: string; voices: number } {
  const { resources, pending_operations: pending } = stack.deployment;
  if ((pending ?? []).length > 0)
    throw new InputError("the state has pending operations of an interrupted run", {
      advice: "Run `pulumi up` first, or `pulumi refresh --clear-pending-creates`.",
    });
  const all = resources ?? [];
  const catalog = catalogIn(all, name);
  const voices = all.filter(({ parent }) => parent === catalog.urn);
  const first = firstVoice(catalog, voices);
  const urn = catalog.urn.replace(`${voiceCatalogType}::`, `${voiceSetType}::`);
  if (all.some((each) => each.urn === urn)) throw new InputError(`the state has a set named ${nameInUrn(urn)} already`);
  const movedUrns = new Set([catalog.urn, ...voices.map((voice) => voice.urn)]);
  for (const { urn: child, parent = "" } of all)
    if (parent !== catalog.urn && movedUrns.has(parent))
      throw new InputError(`${nameInUrn(child)} is a child of ${nameInUrn(parent)}, and an entry of a set has none`);

  const entries = voices.map((voice) => [keyOf(voice, catalog), voice] as const);
  const states = new Map(entries.map(([key, { outputs }]) => [key, outputs as unknown as VoiceOutputs]));
  const renamed = (each: string) => (movedUrns.has(each) ? urn : each);
  const needed = [...new Set(voices.flatMap(refersTo))].filter((each) => !movedUrns.has(each));
  const set: Resource = {
    ...withoutOwn(catalog),
    ...Object.fromEntries(ofTheWhole.flatMap((option) => (option in first ? [[option, first[option]]] : []))),
    ...{ urn, custom: true, type: voiceSetType, id: nameInUrn(urn) },
    inputs: { voices: Object.fromEntries(entries.map(([key, { inputs }]) => [key, inputs])) },
    outputs: { ...setState(states, { leftovers: [], updates: 0 }) },
    dependencies: needed.filter((each) => each !== catalog.parent && each !== providerOf(first)),
    propertyDependencies: null,
  };
  const others = all.filter((each) => !movedUrns.has(each.urn)).map((each) => withReferences(each, renamed));
  const last = all.findLastIndex((each) => movedUrns.has(each.urn));
  const before = all.slice(0, last).filter((each) => !movedUrns.has(each.urn)).length;
  const moved = inOrder(others, before, set);
  return {
    stack: { ...stack, deployment: { ...stack.deployment, resources: moved } },
    name: nameInUrn(urn),
    voices: voices.length,
  };
}

function catalogIn(all: readonly Resource[], name: string | undefined): Resource {
  const catalogs = all.filter(({ type }) => type === voiceCatalogType);
  const named = name === undefined ? catalogs : catalogs.filter(({ urn }) => nameInUrn(urn) === name);
  const [found, ...more] = named;
  if (found !== undefined && more.length === 0) return found;
  const names = catalogs.map(({ urn }) => nameInUrn(urn)).join(", ");
  if (names === "") throw new InputError("the state has no VoiceCatalog");
  throw new InputError(
    name === undefined || more.length > 0
      ? `the state has several catalogs: ${names}. Name one`
      : `the state has no catalog named ${name}. It has: ${names}`,
  );
}

/** Returns the first voice. Throws unless all voices can be entries of one set. */
function firstVoice(catalog: Resource, voices: readonly Resource[]): Resource {
  const [first] = voices;
  if (first === undefined) throw new InputError(`the catalog ${nameInUrn(catalog.urn)} has no voices in this state`);
  for (const voice of voices) {
    const name = nameInUrn(voice.urn);
    if (voice.type !== "cloudvoice:index:CloudVoice")
      throw new InputError(
        `${name} is not served by the plugin, and a set is. Write the program with pulumi-cloudvoice/native first ` +
          "(docs/plugin.md), or give the entries of a new set `adopt` with the names of their voices",
      );
    const open = unfinished.find((field) => field in voice && voice[field] !== false);
    if (open !== undefined)
      throw new InputError(`${name} has not been ended by an update (${open} in its state). Run \`pulumi up\` first`);
    const differs = ofTheWhole.find((option) => JSON.stringify(voice[option]) !== JSON.stringify(first[option]));
    if (differs !== undefined)
      throw new InputError(
        `${name} and ${nameInUrn(first.urn)} differ in the option ${differs}, and a set has one for all. Make them equal ` +
          "and run `pulumi up` first",
      );
  }
  return first;
}

function keyOf(voice: Resource, catalog: Resource): string {
  const [name, start] = [nameInUrn(voice.urn), `${nameInUrn(catalog.urn)}-`];
  if (!name.startsWith(start)) throw new InputError(`the voice ${name} is not named after its catalog`);
  return name.slice(start.length);
}

const providerOf = ({ provider }: Resource) => provider?.replace(/::[^:]*$/, "");

/** The URNs of the resources that this one needs. */
function refersTo(each: Resource): string[] {
  const { parent, dependencies, propertyDependencies, deletedWith, replaceWith } = each;
  const properties = Object.values(propertyDependencies ?? {}).flatMap((found) => found ?? []);
  const all = [parent, providerOf(each), deletedWith, ...(dependencies ?? []), ...properties, ...(replaceWith ?? [])];
  return all.filter((urn) => urn !== undefined);
}

function withReferences(each: Resource, renamed: (urn: string) => string): Resource {
  const list = (found: string[] | null | undefined) => found && [...new Set(found.map(renamed))];
  const { dependencies, propertyDependencies, deletedWith, replaceWith } = each;
  return {
    ...each,
    ...(dependencies && { dependencies: list(dependencies) }),
    ...(propertyDependencies && {
      propertyDependencies: Object.fromEntries(
        Object.entries(propertyDependencies).map(([name, found]) => [name, list(found)]),
      ),
    }),
    ...(deletedWith !== undefined && { deletedWith: renamed(deletedWith) }),
    ...(replaceWith && { replaceWith: list(replaceWith) }),
  };
}

/** A component has no inputs and outputs of its own for a set to keep. */
function withoutOwn({ inputs: _, outputs: _outputs, ...catalog }: Resource): Omit<Resource, "inputs" | "outputs"> {
  return catalog;
}

/**
 * In a state, each resource comes after those that it needs. A resource that needs one voice may come before the last
 * voice, so it is moved behind the set.
 */
function inOrder(others: readonly Resource[], before: number, set: Resource): Resource[] {
  const late = new Set([set.urn]);
  const [early, after]: [Resource[], Resource[]] = [[], []];
  for (const each of others.slice(0, before)) {
    const isLate = refersTo(each).some((urn) => late.has(urn));
    if (isLate) late.add(each.urn);
    (isLate ? after : early).push(each);
  }
  const circular = refersTo(set).find((urn) => late.has(urn));
  if (circular !== undefined)
    throw new InputError(
      `an entry needs ${nameInUrn(circular)}, which needs a voice of another entry. In one set this is a circle`,
    );
  return [...early, set, ...after, ...others.slice(before)];
}
