import type { Prices } from "../../rules/price";
import { actions, type Change, type ChangeContext, changeOf, withCharge } from "./change";
import { kinds } from "./fields";
import type { Preview } from "./preview";
import type { Step } from "./step";
import { isDeletedFirst } from "./voice-outcome";

/** The changes of the preview's steps, and the missing voices that `pulumi up --refresh` would create again. */
export function changesOf(preview: Preview, prices: Prices): Change[] {
  const context = contextOf(preview);
  return preview.steps.flatMap((step) => {
    const change = changeOf(step, context);
    return change === undefined ? [] : [withCharge(change, step, prices)];
  });
}

function contextOf({ steps, plans }: Preview): ChangeContext {
  const urnsOf = (isSuch: (step: Step) => boolean) => new Set(steps.filter(isSuch).map(({ urn }) => urn));
  const holders = new Map<string, string[]>();
  for (const { op, urn, oldState } of steps) {
    const takes = plans.get(urn)?.takes;
    const voice = takes ?? (op === "same" || op === "update" ? oldState?.id : undefined);
    if (voice !== undefined) holders.set(voice, [...(holders.get(voice) ?? []), urn]);
  }
  return {
    plans,
    holders,
    isRefresh: steps.some(({ op, newState, oldState }) => op === "refresh" && isStack(newState ?? oldState)),
    deletedLast: urnsOf((step) => step.op === "delete" || (step.op === "replace" && !isDeletedFirst(step))),
    refreshed: urnsOf(({ op }) => op === "refresh"),
    replaced: urnsOf(({ op }) => op === "replace"),
  };
}

/** In `pulumi refresh --preview-only --json`, also the stack has a step `refresh`. */
const isStack = (state: Step["newState"]) => state?.type === "pulumi:pulumi:Stack";

export function byKindActionAndName(a: Change, b: Change): number {
  return (
    kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
    actions.indexOf(a.action) - actions.indexOf(b.action) ||
    (a.urn < b.urn ? -1 : 1)
  );
}
