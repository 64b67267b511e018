import stableStringify from "safe-stable-stringify";
import { replacingValues } from "../../rules/inputs";
import { splitUnknown } from "../../rules/unknown";
import { hasGeneratedName } from "../../rules/voice";
import { inputsOf, type Kind } from "./fields";
import type { Step } from "./preview";

/**
 * Resources that disappear while another of the same content appears: the URN in the state by the URN in the program.
 * An alias would rename them at no cost.
 */
export function probableRenames(steps: Step[], kindOf: (step: Step) => Kind | undefined): Map<string, string> {
  const deleted = new Map<string, string[]>();
  for (const step of steps) {
    const content = step.op === "delete" ? contentOf(kindOf(step), step.oldState?.inputs) : undefined;
    if (content !== undefined) deleted.set(content, [...(deleted.get(content) ?? []), step.urn]);
  }
  const renames = new Map<string, string>();
  for (const step of steps) {
    // Adopting a voice is free, and names the voice that is meant.
    if (step.op !== "create" || step.newState?.inputs.adopt !== undefined) continue;
    const from = deleted.get(contentOf(kindOf(step), step.newState?.inputs) ?? "")?.shift();
    if (from !== undefined) renames.set(step.urn, from);
  }
  return renames;
}

/** A text that is equal for two resources made from the same. Undefined while an input is not known. */
function contentOf(kind: Kind | undefined, inputs: Record<string, unknown> = {}): string | undefined {
  const { known, unknown } = splitUnknown(inputs);
  if (kind === undefined || unknown.size > 0) return undefined;
  // A generated name contains the resource's own name.
  if (hasGeneratedName(known)) delete known.preferredName;
  const audio = kind === "voice" ? (known.audioSha256 ?? known.audio) : undefined;
  // An absent value and an empty list are the same.
  const values = [...replacingValues(inputsOf[kind], known), audio].map((value) => value ?? []);
  return stableStringify([kind, ...values]);
}
