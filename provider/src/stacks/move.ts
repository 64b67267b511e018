import { randomUUID } from "node:crypto";
import * as z from "zod";
import { InputError } from "../errors";
import { nameInUrn, resourceKind, voiceCatalogType, voiceSetType } from "../rules/resource-types";
import { resources as kinds } from "../rules/resources";
import type { VoiceOutputs } from "../rules/voice";
import { onlyEntries, setState } from "../rules/voice-set";
import { providerIn } from "./state";

/*
 * Turns voices in a state into the entries of a `VoiceSet`: the voices of a `VoiceCatalog`, or of the program itself.
 */

const urns = z.array(z.string()).nullish();

/** The fields of a resource that are used. All others stay as they are. */
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

/** Fields with which the engine marks unfinished work. An update must clear them before a move. */
const unfinishedMarks = ["delete", "pendingReplacement", "taint", "initErrors", "external"];
/** Resource options of which a set has one value for all entries. */
const sharedOptions = ["protect", "retainOnDelete", "deletedWith", "provider"];

export interface MoveOptions {
  /** The name of the catalog, and of its set. Optional if there is only one catalog. */
  name?: string | undefined;
  /** Moves the program's own voices, not a catalog's, into the set `name`: all of them, or those with these names. */
  flat?: true | readonly string[] | undefined;
}

interface Source {
  /** The fields of the set apart from its voices. */
  set: Pick<Resource, "urn" | "parent">;
  keyOf: (voice: Resource) => string;
  voices: Resource[];
  /** The URN of the catalog, which is removed from the state. */
  catalog?: string;
}

/** Returns the stack with a set instead of the voices. Throws if the set can't express a part of their state. */
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
  const { set: base, keyOf, voices, catalog } = flat === undefined ? ofCatalog(all, name) : ofProgram(all, name, flat);
  const first = firstVoice(voices);
  const { urn } = base;
  if (all.some((each) => each.urn === urn)) throw new InputError(`the state has a set named ${nameInUrn(urn)} already`);
  const movedUrns = new Set([...(catalog === undefined ? [] : [catalog]), ...voices.map((voice) => voice.urn)]);
  for (const { urn: child, parent = "" } of all)
    if (parent !== catalog && movedUrns.has(parent))
      throw new InputError(
        `${nameInUrn(child)} is a child of ${nameInUrn(parent)}, and an entry of a set can't have children`,
      );

  const entries = voices.map((voice) => [keyOf(voice), voice] as const);
  const states = new Map(entries.map(([key, voice]) => [key, entryState(voice)]));
  const renamed = (each: string) => (movedUrns.has(each) ? urn : each);
  const needed = [...new Set(voices.flatMap(referencesOf))].filter((each) => !movedUrns.has(each));
  const set: Resource = {
    ...base,
    ...Object.fromEntries(sharedOptions.flatMap((option) => (option in first ? [[option, first[option]]] : []))),
    ...{ urn, custom: true, type: voiceSetType, id: nameInUrn(urn) },
    inputs: { voices: Object.fromEntries(entries.map(([key, { inputs }]) => [key, inputs])) },
    outputs: { ...setState(onlyEntries(states), { instance: randomUUID(), updates: 0 }) },
    dependencies: needed.filter((each) => each !== base.parent && each !== providerIn(first.provider)),
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
  // The set keeps only the options of the catalog.
  const { inputs: _inputs, outputs: _outputs, ...options } = catalog;
  const set = { ...options, urn };
  return { set, keyOf: (voice) => keyInCatalog(voice, catalog), voices, catalog: catalog.urn };
}

/** The program's own voices. External ones are excluded: the program only reads them (`CloudVoice.get`). */
function ofProgram(all: readonly Resource[], name: string | undefined, flat: true | readonly string[]): Source {
  if (name === undefined) throw new InputError("name the new set: `move <set> --flat`");
  const stacks = new Set(all.filter(({ type }) => type === "pulumi:pulumi:Stack").map(({ urn }) => urn));
  const isOutside = ({ parent }: Resource) => parent === undefined || stacks.has(parent);
  const outside = all.filter(
    (each) => resourceKind(each.type) === "voice" && isOutside(each) && each.external !== true,
  );
  const names = outside.map(({ urn }) => nameInUrn(urn));
  const absent = flat === true ? [] : flat.filter((each) => !names.includes(each));
  if (absent.length > 0)
    throw new InputError(
      `outside of catalogs and other components, this state has no voice named ${absent.join(", ")}`,
      {
        advice: names.length === 0 ? undefined : `It has: ${names.join(", ")}.`,
      },
    );
  const voices = flat === true ? outside : outside.filter(({ urn }) => flat.includes(nameInUrn(urn)));
  const [first] = voices;
  if (first === undefined) throw new InputError("the state has no voices outside of catalogs and other components");
  const [stack = "", project = ""] = first.urn.split("::");
  const urn = [stack, project, voiceSetType, name].join("::");
  return { set: { urn, parent: first.parent }, keyOf: (voice) => nameInUrn(voice.urn), voices };
}

/** The state of an imported voice lacks values that were unknown at the import. They are taken from its inputs. */
function entryState({ urn, inputs, outputs }: Resource): VoiceOutputs {
  if ("audio" in outputs) return outputs as unknown as VoiceOutputs;
  if (!("audio" in inputs))
    throw new InputError(`${nameInUrn(urn)} was imported, and its recording is not known yet`, {
      advice: "Write its `audio` in the program, and run `pulumi up` first. That is free.",
    });
  const declared = kinds.voice.acceptedAfterImport.filter((name) => name in inputs);
  const accepted = Object.fromEntries(declared.map((name) => [name, inputs[name]]));
  return { ...accepted, ...outputs } as unknown as VoiceOutputs;
}

function catalogIn(all: readonly Resource[], name: string | undefined): Resource {
  const catalogs = all.filter(({ type }) => type === voiceCatalogType);
  const candidates = name === undefined ? catalogs : catalogs.filter(({ urn }) => nameInUrn(urn) === name);
  const [catalog, ...more] = candidates;
  if (catalog !== undefined && more.length === 0) return catalog;
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
        `${name} is not a resource of the plugin, and only the plugin has sets. Write the program with pulumi-cloudvoice/native first ` +
          "(docs/plugin.md), or give the entries of a new set `adopt` with the names of their voices",
      );
    const open = unfinishedMarks.find((field) => field in voice && voice[field] !== false);
    if (open !== undefined)
      throw new InputError(`${name} is unfinished (${open} in its state). Run \`pulumi up\` first`);
    const differs = sharedOptions.find((option) => JSON.stringify(voice[option]) !== JSON.stringify(first[option]));
    if (differs !== undefined)
      throw new InputError(
        `${name} and ${nameInUrn(first.urn)} differ in the option ${differs}, of which a set has one value. Make them equal ` +
          "and run `pulumi up` first",
      );
  }
  return first;
}

function keyInCatalog(voice: Resource, catalog: Resource): string {
  const [name, start] = [nameInUrn(voice.urn), `${nameInUrn(catalog.urn)}-`];
  if (!name.startsWith(start))
    throw new InputError(
      `the voice ${name} is not named after its catalog (${start}…), so the key of its entry is not known`,
    );
  return name.slice(start.length);
}

/** The URNs of the resources that this resource needs. */
function referencesOf(each: Resource): string[] {
  const { parent, provider, dependencies, propertyDependencies, deletedWith, replaceWith } = each;
  const lists = [dependencies, ...Object.values(propertyDependencies ?? {}), replaceWith];
  return [parent, providerIn(provider), deletedWith, ...lists.flatMap((list) => list ?? [])].filter(
    (urn) => urn !== undefined,
  );
}

function withReferences(each: Resource, renamed: (urn: string) => string): Resource {
  const list = (urns: string[] | null | undefined) => urns && [...new Set(urns.map(renamed))];
  const { dependencies, propertyDependencies, deletedWith, replaceWith } = each;
  return {
    ...each,
    ...(dependencies && { dependencies: list(dependencies) }),
    ...(propertyDependencies && {
      propertyDependencies: Object.fromEntries(
        Object.entries(propertyDependencies).map(([name, urns]) => [name, list(urns)]),
      ),
    }),
    ...(deletedWith !== undefined && { deletedWith: renamed(deletedWith) }),
    ...(replaceWith && { replaceWith: list(replaceWith) }),
  };
}

/**
 * In a state, each resource comes after those that it needs. A resource that needs a moved voice may stand before the
 * last voice, so it is moved behind the set.
 */
function inOrder(others: readonly Resource[], before: number, set: Resource): Resource[] {
  const late = new Set([set.urn]);
  const [early, after]: [Resource[], Resource[]] = [[], []];
  for (const each of others.slice(0, before)) {
    const isLate = referencesOf(each).some((urn) => late.has(urn));
    if (isLate) late.add(each.urn);
    (isLate ? after : early).push(each);
  }
  const circular = referencesOf(set).find((urn) => late.has(urn));
  if (circular !== undefined)
    throw new InputError(
      `an entry needs ${nameInUrn(circular)}, which needs a voice of another entry. The set would depend on itself`,
    );
  return [...early, set, ...after, ...others.slice(before)];
}
