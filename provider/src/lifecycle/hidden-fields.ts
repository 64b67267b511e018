import { derivedOutputs, resources } from "../rules/resources";
import type { Props, Resource } from "./lifecycle";

/* The fields of a dynamic resource that no life cycle knows. A resource keeps them when it moves to the plugin. */

/** The outputs that a program can mark as secret by an empty input of the same name (program/register.ts). */
const markableOutputs = Object.values(resources).flatMap((resource) => derivedOutputs(resource).names);

export function markedSecrets(props: Props): string[] {
  return markableOutputs.filter((name) => props[name] === "");
}

/** The fields of a dynamic resource's state that its life cycle does not know. */
export function hiddenState({ label, stack }: Pick<Resource, "label" | "stack">): Props {
  return { ...(label !== "" && { label }), ...(stack !== "" && { stack }) }; // @persisted
}

/** The fields of a dynamic resource's inputs that its life cycle does not know. */
export function hiddenInputs(props: Props, resource: Resource): Props {
  return { ...hiddenState(resource), ...Object.fromEntries(markedSecrets(props).map((name) => [name, ""])) };
}

/** Removes the fields of {@link hiddenInputs}, and `__provider`, which every call has. */
export function withoutHidden(props: Props): Props {
  const { label: _, stack: _stack, __provider: __, ...shown } = props;
  const marked = markedSecrets(props);
  if (marked.length === 0) return shown;
  return Object.fromEntries(Object.entries(shown).filter(([name]) => !marked.includes(name)));
}
