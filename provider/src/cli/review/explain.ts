import stableStringify from "safe-stable-stringify";
import { replacingValues } from "../../rules/inputs";
import { nameInUrn } from "../../rules/resource-types";
import { resources } from "../../rules/resources";
import { splitUnknown } from "../../rules/unknown";
import { hasGeneratedName } from "../../rules/voice";
import { counted } from "../listing";
import { type Change, kindOf, shownName } from "./change";
import { closedGates } from "./gates";
import type { Preview, Step } from "./preview";
import { isEntryOfSet } from "./sets";
import { isDeletedFirst } from "./voice-outcome";

/** Adds to each change the facts that only other steps show: renames, gates that will close, replaced dependencies. */
export function explainTogether(changes: Change[], preview: Preview, removedByRefresh = 0): Change[] {
  const { steps } = preview;
  const gates = closedGates(preview);
  const renamedFrom = probableRenames(steps);
  const renamedTo = new Map([...renamedFrom].map(([to, from]) => [from, to]));
  const stepOf = new Map(steps.map((step) => [`${step.op} ${step.urn}`, step]));
  const replaced = new Map(steps.filter(({ op }) => op === "replace").map((step) => [step.urn, isDeletedFirst(step)]));

  return changes.map((change) => {
    const { action, urn } = change;
    switch (action) {
      case "create":
        return withRename(removedOrNew(change, removedByRefresh), "renamedFrom", renamedFrom.get(urn));
      case "delete":
        return withRename(change, "renamedTo", renamedTo.get(urn));
      case "update": {
        const gate = gates.get(urn);
        if (gate === undefined) return judgedAgain(change, stepOf.get(`update ${urn}`));
        const warning = `the update will stop here: ${gate.reason}`;
        return { ...change, why: "the kept answers do not meet expect", warning, waiting: gate.waiting };
      }
      case "replace":
        return replacedWith(change, stepOf.get(`replace ${urn}`), replaced);
      default:
        return change;
    }
  });
}

/** Explains an update of a decision whose gate was closed: every preview shows such an update until the gate opens. */
function judgedAgain(change: Change, step: Step | undefined): Change {
  const wasClosed = change.kind === "decision" && change.fields.length === 0 && step?.oldState?.initErrors?.length;
  return wasClosed ? { ...change, why: "the kept answers are compared with expect again; free" } : change;
}

/**
 * Explains a create after a refresh: the refresh has removed missing voices from the state, so their creates look new.
 */
function removedOrNew(change: Change, removedByRefresh: number): Change {
  if (change.kind !== "voice" || removedByRefresh === 0) return change;
  const removed = counted(removedByRefresh, "resource");
  const why = `${change.why}, or missing at the service: the last refresh removed ${removed} from the state`;
  return { ...change, why };
}

function withRename(change: Change, direction: "renamedFrom" | "renamedTo", other: string | undefined): Change {
  if (other === undefined) return change;
  const what =
    direction === "renamedFrom"
      ? `probably ${shownName(other)} under a new name: an alias would be free`
      : `probably renamed to ${shownName(other)}`;
  return { ...change, [direction]: other, why: `${change.why}; ${what}` };
}

/** Names the replaced resources whose outputs cause this replacement. */
function replacedWith(change: Change, step: Step | undefined, replaced: ReadonlyMap<string, boolean>): Change {
  const { unknown } = splitUnknown(step?.newState?.inputs ?? {});
  const replacedSources = change.fields.flatMap(({ field }) => {
    const others = unknown.has(field) ? (step?.newState?.propertyDependencies?.[field] ?? []) : [];
    const replacedUrns = others.filter((other) => replaced.has(other));
    return replacedUrns.length === 0 ? [] : [{ field, replacedUrns }];
  });
  if (replacedSources.length === 0) return change;
  const sources = [...new Set(replacedSources.flatMap(({ replacedUrns }) => replacedUrns))];
  const how = sources.some((source) => replaced.get(source)) ? "deleted before the replacement" : "replaced";
  const names = replacedSources.map(({ field }) => field).join(" and ");
  const why = `${change.why} (${names}: an output of ${sources.map(shownName).join(" and ")}, ${how})`;
  return { ...change, why };
}

/**
 * Maps the URN of a new resource to the URN of a deleted resource with equal content. With an alias, this rename would
 * be free.
 */
export function probableRenames(steps: Step[]): Map<string, string> {
  const deleted = new Map<string, string[]>();
  // Skip the voices of sets: a set keeps the voice of a renamed entry, and entries have no aliases.
  const aliased = steps.filter(({ urn }) => !isEntryOfSet(urn));
  for (const step of aliased) {
    const content = step.op === "delete" ? contentOf(step, step.oldState?.inputs) : undefined;
    if (content !== undefined) deleted.set(content, [...(deleted.get(content) ?? []), step.urn]);
  }
  const renames = new Map<string, string>();
  // Skip voices to adopt: adopting is free already.
  const created = aliased
    .filter(({ op, newState }) => op === "create" && newState?.inputs.adopt === undefined)
    .map((step) => ({ urn: step.urn, others: deleted.get(contentOf(step, step.newState?.inputs) ?? "") ?? [] }));
  for (const isAlike of [hasNameOf, () => true])
    for (const { urn, others } of created.filter((each) => !renames.has(each.urn))) {
      const at = others.findIndex((other) => isAlike(nameInUrn(urn), nameInUrn(other)));
      for (const from of at < 0 ? [] : others.splice(at, 1)) renames.set(urn, from);
    }
  return renames;
}

/** Whether two names are equal, or differ only by the name of a catalog in front. */
function hasNameOf(name: string, other: string): boolean {
  return name === other || name.endsWith(`-${other}`) || other.endsWith(`-${name}`);
}

/** Returns a text that is equal for resources with equal content. Undefined if an input is not known. */
function contentOf(step: Step, inputs: Record<string, unknown> = {}): string | undefined {
  const kind = kindOf(step);
  const { known, unknown } = splitUnknown(inputs);
  if (kind === undefined || unknown.size > 0) return undefined;
  // A generated name also depends on the resource's name.
  if (hasGeneratedName(known)) delete known.preferredName;
  const audio = kind === "voice" ? (known.audioSha256 ?? known.audio) : undefined;
  // An absent value and an empty list mean the same.
  const values = [...replacingValues(resources[kind].inputs, known), audio].map((value) => value ?? []);
  return stableStringify([kind, ...values]);
}
