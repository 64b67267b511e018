import { isVoiceSet, nameInUrn } from "../../rules/resource-types";
import { splitUnknown } from "../../rules/unknown";
import { visible } from "../../rules/visible";
import type { Step } from "./step";

/**
 * Explains resources that may show as changed only because they read all voices of an updated set at once. A preview
 * runs no function (`apply`) whose values include an unknown one, here the changed voice.
 */
export function setDependents(steps: readonly Step[]): string[] {
  const sets = steps.filter(
    ({ op, newState, oldState }) => op === "update" && isVoiceSet((newState ?? oldState)?.type ?? ""),
  );
  return sets.flatMap(({ urn }) => {
    const names = steps.filter((step) => isChangedBy(urn, step)).map((step) => visible(nameInUrn(step.urn)));
    return names.length === 0 ? [] : [line(visible(nameInUrn(urn)), names)];
  });
}

function isChangedBy(set: string, { op, newState }: Step): boolean {
  if (op !== "update" && op !== "replace") return false;
  const { inputs = {}, propertyDependencies } = newState ?? {};
  return [...splitUnknown(inputs).unknown].some((input) => (propertyDependencies?.[input] ?? []).includes(set));
}

const mostNames = 5;

function line(set: string, names: readonly string[]): string {
  const shown = names.slice(0, mostNames).join(", ");
  const more = names.length > mostNames ? ` and ${names.length - mostNames} others` : "";
  return (
    `${shown}${more} may show as changed only because the program reads all voices of ${set} at once ` +
    `(apply, all, toJSON), which a preview does not know while one of them changes. ` +
    `An input that takes one voice, such as \`voices.guide.voice\` of ${set}, shows only if that voice changes. In YAML, it shows ` +
    "with a change of any voice, and the charge has it at most"
  );
}
