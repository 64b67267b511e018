import type { Expectations, Questions } from "../../rules/decision";
import { unmetExpectations } from "../../rules/decision-answers";
import { isRecord } from "../../rules/is-record";
import { secretText } from "../../rules/rights";
import { unknownValue } from "../../rules/unknown";
import { visible } from "../../rules/visible";
import { kindOf, shownName } from "./change";
import type { Preview, Step } from "./preview";

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
