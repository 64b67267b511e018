import { type ImageOutputs, plannedImages } from "../../rules/image";
import { dynamicUrn } from "../../rules/resource-types";
import { secretText } from "../../rules/rights";
import { isRecord, splitUnknown, unknownValue } from "../../rules/values";
import { hasGeneratedName } from "../../rules/voice";
import { type Change, kindOf, shownName } from "./change";
import type { Step } from "./preview";

/** A free update whose outputs a preview does not know, although the outputs stay the same. */
interface Cause {
  names: string[];
  /** The outputs that do change: the old addresses of pictures that the update moves to another place. */
  changedAddresses: string[];
}

/**
 * Marks the changes that a preview may show only because of free updates of other resources. Workaround: in a preview,
 * the SDK does not know the outputs of an updated resource of the dynamic classes. So a resource that takes such an
 * output shows as changed, and resources that the program creates inside of `apply` show as deleted. A native class
 * reports which outputs stay the same.
 */
export function withUnsure(changes: Change[], steps: Step[]): Change[] {
  const changing = new Map(steps.filter(({ op }) => op !== "same" && op !== "delete").map((step) => [step.urn, step]));
  const causes = new Map<string, Cause>();
  const marked = new Map<Change, string[]>();
  // The steps are in order of dependency: a resource comes after the resources whose outputs it takes.
  for (const [urn, step] of changing) {
    const change = changes.find((each) => each.urn === urn && each.action !== "delete");
    const names = change ? namesOf(unsureSources(step, change, changing, causes)) : [];
    if (change && names.length > 0) marked.set(change, names);
    const cause = names.length > 0 ? { names, changedAddresses: [] } : causeIn(step);
    if (cause) causes.set(urn, cause);
  }
  const all = namesOf([...causes.values()]);
  return changes.map((change) => {
    const { action, renamedTo } = change;
    const names = action === "delete" && renamedTo === undefined ? all : (marked.get(change) ?? []);
    return names.length === 0 ? change : { ...change, unsure: true, charge: 0, why: whyUnsure(names, change) };
  });
}

function namesOf(causes: Cause[]): string[] {
  return [...new Set(causes.flatMap(({ names }) => names))];
}

/** Returns the free updates that explain all unknown inputs of the step. Empty if another input changes too. */
function unsureSources(
  { op, oldState, newState }: Step,
  change: Change,
  changing: ReadonlyMap<string, Step>,
  causes: ReadonlyMap<string, Cause>,
): Cause[] {
  if (op !== "replace" && op !== "update") return [];
  const { inputs = {} } = oldState ?? {};
  const { unknown } = splitUnknown(newState?.inputs ?? {});
  const fields = change.fields.map(({ field }) => field);
  // Ignore a generated name: it is unknown only while an input that it is generated from is unknown.
  const changedFields = fields.filter((field) => field !== "preferredName" || !hasGeneratedName(inputs));
  const sources = changedFields.map((field) => {
    const urns = newState?.propertyDependencies?.[field] ?? [];
    const sourceCauses = urns.filter((urn) => changing.has(urn)).map((urn) => causes.get(urn));
    const before = JSON.stringify(inputs[field] ?? null);
    const stays = (cause: Cause | undefined) => cause !== undefined && !mayContain(cause.changedAddresses, before);
    return unknown.has(field) && sourceCauses.every(stays) ? sourceCauses : [];
  });
  return sources.some((each) => each.length === 0) ? [] : sources.flat().filter((each) => each !== undefined);
}

function mayContain(changedAddresses: string[], value: string): boolean {
  return changedAddresses.some((each) => value.includes(each) || value.includes(secretText));
}

/** Returns the step as a cause. Undefined if the step is not a free update, or its outputs are known or may change. */
function causeIn(step: Step): Cause | undefined {
  const { op, urn, oldState, newState } = step;
  const kind = kindOf(step);
  if (op !== "update" || kind === undefined) return undefined;
  const changedAddresses = kind === "image" ? changedAddressesIn(oldState?.outputs ?? {}, newState?.inputs ?? {}) : [];
  const isKnown = changedAddresses?.length === 0 && dynamicUrn(urn) !== urn;
  return changedAddresses === undefined || isKnown ? undefined : { names: [shownName(urn)], changedAddresses };
}

/** Returns the addresses of pictures that the update changes. Undefined if other outputs may change too. */
function changedAddressesIn(outputs: Record<string, unknown>, inputs: Record<string, unknown>): string[] | undefined {
  if (!Array.isArray(outputs.images) || typeof outputs.taskStatus !== "string") return undefined;
  const { images } = plannedImages(outputs as unknown as ImageOutputs, inputs);
  if (!Array.isArray(images) || images.includes(unknownValue)) return undefined;
  const before = outputs.images as (ImageOutputs["images"][number] | undefined)[];
  return images.flatMap((image: unknown, index) => {
    const file = before[index]?.file;
    return isRecord(image) && image.file !== file && file !== undefined ? [file] : [];
  });
}

const mostNames = 3;

function whyUnsure(names: string[], { why, action }: Change): string {
  const more = names.length > mostNames ? [`${names.length - mostNames} others`] : [];
  const subjects = [...names.slice(0, mostNames), ...more].join(" and ");
  const [are, their] = names.length > 1 ? ["are", "their"] : ["is", "its"];
  const because = `may show only because ${subjects} ${are} updated for free and ${their} outputs are unknown in this preview`;
  // For a deletion, its own reason comes first: most deletions are intended, and a group shows only the first reason.
  return action === "delete" ? `${why}; ${because}` : `${because}, so no charge is counted; ${why}`;
}
