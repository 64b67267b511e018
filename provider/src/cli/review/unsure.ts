import { type ImageOutputs, plannedImages } from "../../rules/image";
import { isRecord } from "../../rules/is-record";
import { dynamicUrn } from "../../rules/resource-types";
import { splitUnknown } from "../../rules/unknown";
import { hasGeneratedName } from "../../rules/voice";
import { type Change, kindOf, shownName } from "./change";
import type { Step } from "./preview";

/**
 * Marks the changes that a preview may show only because of free updates of other resources. Workaround: in a preview,
 * the SDK does not know the outputs of an updated resource of the dynamic classes. So a resource that takes such an
 * output shows as changed, and resources that the program creates inside of `apply` show as deleted. A native class
 * reports which outputs stay the same.
 */
export function withUnsure(changes: Change[], steps: Step[]): Change[] {
  const changing = new Map(steps.filter(({ op }) => op !== "same" && op !== "delete").map((step) => [step.urn, step]));
  /** By the URN of a resource: the names of the free updates after which its outputs are not known. */
  const causes = new Map<string, string[]>();
  const marked = new Map<Change, string[]>();
  // The steps are in order of dependency: a resource comes after the resources whose outputs it takes.
  for (const [urn, step] of changing) {
    const change = changes.find((each) => each.urn === urn && each.action !== "delete");
    const names = change ? unsureSources(step, change, changing, causes) : [];
    if (change && names.length > 0) marked.set(change, names);
    if (names.length > 0) causes.set(urn, names);
    else if (isCause(step)) causes.set(urn, [shownName(urn)]);
  }
  const all = [...new Set([...causes.values()].flat())];
  return changes.map((change) => {
    const { action, renamedTo } = change;
    const names = action === "delete" && renamedTo === undefined ? all : (marked.get(change) ?? []);
    return names.length === 0 ? change : { ...change, unsure: true, charge: 0, why: whyUnsure(names, change) };
  });
}

/** Returns the free updates that explain all unknown inputs of the step. Empty if another input changes too. */
function unsureSources(
  { op, oldState, newState }: Step,
  change: Change,
  changing: ReadonlyMap<string, Step>,
  causes: ReadonlyMap<string, string[]>,
): string[] {
  if (op !== "replace" && op !== "update") return [];
  const { unknown } = splitUnknown(newState?.inputs ?? {});
  const fields = change.fields.map(({ field }) => field);
  // Ignore a generated name: it is unknown only while an input that it is generated from is unknown.
  const hasOwnName = !hasGeneratedName(oldState?.inputs ?? {});
  const sources = fields
    .filter((field) => field !== "preferredName" || hasOwnName)
    .map((field) => {
      const urns = (newState?.propertyDependencies?.[field] ?? []).filter((urn) => changing.has(urn));
      return unknown.has(field) && urns.every((urn) => causes.has(urn)) ? urns : [];
    });
  if (sources.some((urns) => urns.length === 0)) return [];
  return [...new Set(sources.flat().flatMap((urn) => causes.get(urn) ?? []))];
}

/** Whether the step is a free update whose outputs a preview does not know, although they stay the same. */
function isCause(step: Step): boolean {
  const { op, urn, oldState, newState } = step;
  const kind = kindOf(step);
  if (op !== "update" || kind === undefined || dynamicUrn(urn) !== urn) return false;
  return kind !== "image" || keepsPictures(oldState?.outputs ?? {}, newState?.inputs ?? {});
}

/** Whether the update of an image is known to leave its outputs, e.g. the addresses of its pictures, as they are. */
function keepsPictures(outputs: Record<string, unknown>, inputs: Record<string, unknown>): boolean {
  if (!Array.isArray(outputs.images) || typeof outputs.taskStatus !== "string") return false;
  const { images } = plannedImages(outputs as unknown as ImageOutputs, inputs);
  const before = outputs.images as (ImageOutputs["images"][number] | undefined)[];
  const isKept = (image: unknown, at: number) => isRecord(image) && image.file === before[at]?.file;
  return Array.isArray(images) && images.every(isKept);
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
