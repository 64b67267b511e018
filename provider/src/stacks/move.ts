import { randomUUID } from "node:crypto";
import * as z from "zod";
import { InputError } from "../errors";
import { nameInUrn, resourceKind, voiceCatalogType, voiceSetType } from "../rules/resource-types";
import { resources as kinds } from "../rules/resources";
import type { VoiceOutputs } from "../rules/voice";
import { setState } from "../rules/voice-set";

/* Turns voices in a state, of a `VoiceCatalog` or of the program itself, into the entries of a `VoiceSet`. */

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

/** Which voices become a set. */
export interface MoveOptions {
  /** The name of the catalog, and of its set. May be left out if there is only one catalog. */
  name?: string | undefined;
  /** The voices of the program itself become the set `name`, and not those of a catalog: all, or those of these names. */
  flat?: true | readonly string[] | undefined;
}

/** The voices that become a set, and what is known of it. */
interface Source {
  /** The fields of the set that are not those of its voices. */
  set: Pick<Resource, "urn" | "parent">;
  keyOf: (voice: Resource) => string;
  voices: Resource[];
  /** The catalog, which leaves the state. */
  catalog?: string;
}

/**
 * The stack with the set in place of the voices, and their number. Rejects if the set can't express something of them:
 * nothing in a state is guessed or lost.
 */
export function movedToSet(
  stack: MovableStack,
  { name, flat }: MoveOptions = {},
): { stack: MovableStack; name: string; voices: number } {
  const { resources, pending_operations: pending } = stack.deployment;
  if ((pending ?? []).length > 0)
    throw new InputError("the state has pending operations of an interrupted run", {
      advice: "Run `pulumi up` first, or `pulumi refresh --clear-pending-creates`.",
    });
  const all = resources ?? [];
  const { set: given, keyOf, voices, catalog } = flat === undefined ? ofCatalog(all, name) : ofProgram(all, name, flat);
  const first = firstVoice(voices);
  const { urn } = given;
  if (all.some((each) => each.urn === urn)) throw new InputError(`the state has a set named ${nameInUrn(urn)} already`);
  const movedUrns = new Set([...(catalog === undefined ? [] : [catalog]), ...voices.map((voice) => voice.urn)]);
  for (const { urn: child, parent = "" } of all)
    if (parent !== catalog && movedUrns.has(parent))
      throw new InputError(`${nameInUrn(child)} is a child of ${nameInUrn(parent)}, and an entry of a set has none`);

  const entries = voices.map((voice) => [keyOf(voice), voice] as const);
  const states = new Map(entries.map(([key, voice]) => [key, stateOf(voice)]));
  const renamed = (each: string) => (movedUrns.has(each) ? urn : each);
  const needed = [...new Set(voices.flatMap(refersTo))].filter((each) => !movedUrns.has(each));
  const set: Resource = {
    ...given,
    ...Object.fromEntries(ofTheWhole.flatMap((option) => (option in first ? [[option, first[option]]] : []))),
    ...{ urn, custom: true, type: voiceSetType, id: nameInUrn(urn) },
    inputs: { voices: Object.fromEntries(entries.map(([key, { inputs }]) => [key, inputs])) },
    outputs: { ...setState({ voices: states, superseded: [], kept: [] }, { instance: randomUUID(), updates: 0 }) },
    dependencies: needed.filter((each) => each !== given.parent && each !== providerOf(first)),
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

function ofCatalog(all: readonly Resource[], name: string | undefined): Source {
  const catalog = catalogIn(all, name);
  const voices = all.filter(({ parent }) => parent === catalog.urn);
  if (voices.length === 0) throw new InputError(`the catalog ${nameInUrn(catalog.urn)} has no voices in this state`);
  const urn = catalog.urn.replace(`${voiceCatalogType}::`, `${voiceSetType}::`);
  const set = { ...withoutOwn(catalog), urn };
  return { set, keyOf: (voice) => keyInCatalog(voice, catalog), voices, catalog: catalog.urn };
}

/** A voice that the program only reads (`CloudVoice.get`) is external. */
function ofProgram(all: readonly Resource[], name: string | undefined, flat: true | readonly string[]): Source {
  if (name === undefined) throw new InputError("name the new set: `move <set> --flat`");
  const stacks = new Set(all.filter(({ type }) => type === "pulumi:pulumi:Stack").map(({ urn }) => urn));
  const isOutside = ({ parent }: Resource) => parent === undefined || stacks.has(parent);
  const found = all.filter((each) => resourceKind(each.type) === "voice" && isOutside(each) && each.external !== true);
  const names = found.map(({ urn }) => nameInUrn(urn));
  const absent = flat === true ? [] : flat.filter((wanted) => !names.includes(wanted));
  if (absent.length > 0)
    throw new InputError(`the program itself has no voice named ${absent.join(", ")} in this state`, {
      advice: names.length === 0 ? undefined : `It has: ${names.join(", ")}.`,
    });
  const voices = flat === true ? found : found.filter(({ urn }) => flat.includes(nameInUrn(urn)));
  const [first] = voices;
  if (first === undefined) throw new InputError("the state has no voices outside of catalogs and other components");
  const [stack = "", project = ""] = first.urn.split("::");
  const urn = [stack, project, voiceSetType, name].join("::");
  return { set: { urn, parent: first.parent }, keyOf: (voice) => nameInUrn(voice.urn), voices };
}

/**
 * The state of a voice. That of an imported one lacks what nobody knew of it: what the program declared first is in its
 * inputs, and is believed.
 */
function stateOf({ urn, inputs, outputs }: Resource): VoiceOutputs {
  if ("audio" in outputs) return outputs as unknown as VoiceOutputs;
  if (!("audio" in inputs))
    throw new InputError(`${nameInUrn(urn)} was imported, and its recording is not known yet`, {
      advice: "Write its `audio` in the program, and run `pulumi up` first. That is free.",
    });
  const declared = kinds.voice.acceptedAfterImport.filter((name) => name in inputs);
  const believed = Object.fromEntries(declared.map((name) => [name, inputs[name]]));
  return { ...believed, ...outputs } as unknown as VoiceOutputs;
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
function firstVoice(voices: readonly Resource[]): Resource {
  const [first] = voices as readonly [Resource, ...Resource[]];
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

function keyInCatalog(voice: Resource, catalog: Resource): string {
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
