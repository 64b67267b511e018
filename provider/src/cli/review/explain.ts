import { splitUnknown } from "../../rules/unknown";
import { type Change, isDeletedFirst, kindOf, nameIn } from "./change";
import { closedGates } from "./gates";
import type { Preview, Step } from "./preview";
import { probableRenames } from "./renames";

/** Adds what a change means together with the other steps: renames, gates that will close, replaced dependencies. */
export function explainTogether(changes: Change[], preview: Preview, removedByRefresh = 0): Change[] {
  const { steps } = preview;
  const gates = closedGates(preview, (step) => kindOf(step) === "decision");
  const renamedFrom = probableRenames(steps, kindOf);
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
        if (gate === undefined) return change;
        const warning = `the update will stop here: ${gate.reason}`;
        return { ...change, why: "the kept answers do not meet expect", warning, waiting: gate.waiting };
      }
      case "replace": {
        const why = replacedWith(change, stepOf.get(`replace ${urn}`), replaced);
        return why === undefined ? change : { ...change, why };
      }
      default:
        return change;
    }
  });
}

/** A refresh removes a voice that it does not find from the state. After that it looks like a new voice. */
function removedOrNew(change: Change, removedByRefresh: number): Change {
  if (change.kind !== "voice" || removedByRefresh === 0) return change;
  const removed = `${removedByRefresh} ${removedByRefresh === 1 ? "resource" : "resources"}`;
  return {
    ...change,
    why: `${change.why}, or missing at the service: the last refresh removed ${removed} from the state`,
  };
}

function withRename(change: Change, direction: "renamedFrom" | "renamedTo", other: string | undefined): Change {
  if (other === undefined) return change;
  const what =
    direction === "renamedFrom"
      ? `probably ${nameIn(other)} under a new name: an alias would be free`
      : `probably renamed to ${nameIn(other)}`;
  return { ...change, [direction]: other, why: `${change.why}; ${what}` };
}

/** Why a resource is replaced together with others whose outputs it takes; undefined if it takes none. */
function replacedWith(
  { fields, why }: Change,
  step: Step | undefined,
  replaced: ReadonlyMap<string, boolean>,
): string | undefined {
  const { unknown } = splitUnknown(step?.newState?.inputs ?? {});
  const taken = fields.flatMap(({ field }) => {
    const others = unknown.has(field) ? (step?.newState?.propertyDependencies?.[field] ?? []) : [];
    const gone = others.filter((other) => replaced.has(other));
    return gone.length === 0 ? [] : [{ field, gone }];
  });
  if (taken.length === 0) return undefined;
  const sources = [...new Set(taken.flatMap(({ gone }) => gone))];
  const how = sources.some((source) => replaced.get(source))
    ? "which is deleted before it is replaced"
    : "which is replaced";
  const names = taken.map(({ field }) => field).join(" and ");
  return `${why} (${names} takes an output of ${sources.map(nameIn).join(" and ")}, ${how})`;
}
