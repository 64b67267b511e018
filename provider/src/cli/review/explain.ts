import stableStringify from "safe-stable-stringify";
import { replacingValues } from "../../rules/inputs";
import { nameInUrn } from "../../rules/resource-types";
import { resources } from "../../rules/resources";
import { isRecord, splitUnknown, unknownValue } from "../../rules/values";
import { hasGeneratedName, recordingPlace } from "../../rules/voice";
import { actions, type Change, type ChangeContext, changeOf, kindOf, shownName, withCharge } from "./change";
import type { Preview, Step } from "./preview";
import type { Prices } from "../../rules/price";
import { kinds } from "./fields";
import { isDeletedFirst } from "./voice-outcome";
import type { Expectations, Questions } from "../../rules/decision";
import { unmetExpectations } from "../../rules/decision-answers";
import { secretText } from "../../rules/rights";
import { visible } from "../../rules/visible";

/** Adds to each change the facts that only other steps show: renames, and what waits for a gate. */
export function explainTogether(changes: Change[], preview: Preview): Change[] {
  const renamedFrom = probableRenames(preview.steps);
  const renamedTo = new Map([...renamedFrom].map(([to, from]) => [from, to]));
  return changes.map((change) => {
    const { action, urn, why, gate } = change;
    const [former, later] = [renamedFrom.get(urn), renamedTo.get(urn)];
    if (action === "create" && former !== undefined) {
      const hint = `probably ${shownName(former)} under a new name: free if declared as a rename`;
      return { ...change, renamedFrom: former, why: `${why}; ${hint}` };
    }
    if (action === "delete" && later !== undefined)
      return { ...change, renamedTo: later, why: `${why}; probably renamed to ${shownName(later)}` };
    return gate === undefined || action === "delete" ? change : withGate(change, gate, preview);
  });
}

function withGate(change: Change, { expects, kept, opens }: NonNullable<Change["gate"]>, { steps }: Preview): Change {
  const waiting = changesBehind(change.urn, steps);
  if (opens === "at the update") {
    const why = `${change.why}; expects ${expects}; its answer is known only in the update`;
    return { ...change, why, waiting };
  }
  const verdict = `expects ${expects}, and the kept answer is ${kept ?? "not known"}`;
  if (opens === "yes") return { ...change, why: `${change.why}; ${verdict}: stays open` };
  const warning = `the update will stop here: ${verdict}`;
  return { ...change, why: "the kept answers do not meet expect", warning, waiting };
}

/** Notes about (perhaps) closed gates that `--target` or `--exclude` leaves out: what depends on them does not wait. */
export function passedGates({ steps }: Pick<Preview, "steps">): string[] {
  return steps.flatMap((step) => {
    if (step.op !== "same" || kindOf(step) !== "decision") return [];
    const { outputs = {}, inputs } = step.oldState ?? {};
    const unmet = unmetBy(outputs.answers, inputs);
    const behind = unmet?.length === 0 ? [] : changesBehind(step.urn, steps).map(shownName);
    if (behind.length === 0) return [];
    const verdict = unmet ? `is closed (${unmet.join("; ")})` : "may be closed (the compared values are secret)";
    return [
      `the gate ${shownName(step.urn)} ${verdict}, and this run leaves it out (--target, --exclude): ` +
        `${behind.join(", ")} would not wait for the gate`,
    ];
  });
}

/** Returns the unmet expectations. Undefined if a compared value is secret or not known yet. */
function unmetBy(answers: unknown, inputs: Record<string, unknown> = {}): string[] | undefined {
  const { questions = {}, expect = {} } = inputs;
  const text = JSON.stringify([answers, questions, expect]);
  if (!isRecord(answers) || text.includes(secretText) || text.includes(unknownValue)) return undefined;
  const unmet = unmetExpectations(answers, questions as Questions, expect as Expectations);
  return unmet.map(({ id, expected, received }) => visible(`${id}: expected ${expected}; the answer is ${received}`));
}

/** The changes that depend on the resource, directly or not. A child also waits for what its parent waits for. */
export function changesBehind(urn: string, steps: readonly Step[]): string[] {
  const waiting = new Set([urn]);
  const waitsFor = ({ newState }: Step) => [...(newState?.dependencies ?? []), newState?.parent ?? ""];
  for (let before = 0; before < waiting.size;) {
    before = waiting.size;
    for (const step of steps) if (waitsFor(step).some((other) => waiting.has(other))) waiting.add(step.urn);
  }
  waiting.delete(urn);
  const isChange = ({ op }: Step) => ["create", "replace", "update"].includes(op);
  return steps.filter((step) => waiting.has(step.urn) && isChange(step)).map((step) => step.urn);
}

/** Maps the URN of a new resource to that of a deleted one of equal content. An alias would make the rename free. */
export function probableRenames(steps: Step[]): Map<string, string> {
  const deleted = new Map<string, Set<string>>();
  for (const step of steps) {
    const content = step.op === "delete" ? contentOf(step, step.oldState?.inputs) : undefined;
    if (content !== undefined) deleted.set(content, (deleted.get(content) ?? new Set()).add(step.urn));
  }
  const renames = new Map<string, string>();
  // Skip voices to adopt: adopting is free already.
  const created = steps
    .filter(({ op, newState }) => op === "create" && newState?.inputs.adopt === undefined)
    .map((step) => ({ urn: step.urn, others: deleted.get(contentOf(step, step.newState?.inputs) ?? "") }));
  for (const isAlike of [hasNameOf, () => true])
    for (const { urn, others = new Set<string>() } of created.filter((each) => !renames.has(each.urn))) {
      const from = [...others].find((other) => isAlike(nameInUrn(urn), nameInUrn(other)));
      if (from !== undefined && others.delete(from)) renames.set(urn, from);
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
  const { values, unknown } = splitUnknown(inputs);
  if (kind === undefined || unknown.size > 0) return undefined;
  // A generated name differs although the content is equal, and a recording is compared by its bytes, if they are known.
  const { preferredName: _, ...unnamed } = values;
  const content = replacingValues(resources[kind].inputs, hasGeneratedName(values) ? unnamed : values);
  const recording = kind === "voice" ? [values.audioSha256 ?? recordingPlace(values)] : [];
  // An absent value and an empty list mean the same.
  return stableStringify([kind, ...content, ...recording].map((value) => value ?? []));
}

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
