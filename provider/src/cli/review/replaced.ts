import { InvalidArgumentError } from "commander";
import type { VoiceHolder } from "../../voices/holder";
import { type Change, kindOf } from "./change";
import type { Step } from "./step";

/** How many of the stack's voices get a new name, which everybody who uses them has to learn. */
export interface Replaced {
  voices: number;
  /** The voices of the stack before the update. */
  of: number;
  /** The value of `--max-replaced`, in percent. */
  limit?: number | undefined;
}

/** A voice that is removed, and made again under another name of its resource, counts too. */
export function replacedVoices(
  changes: readonly Change[],
  steps: readonly Step[],
  held: readonly VoiceHolder[] = [],
  limit?: number,
): Replaced {
  const isReplaced = ({ kind, action, takes, unsure, renamedFrom }: Change) =>
    kind === "voice" &&
    takes === undefined &&
    unsure !== true &&
    (action === "replace" || (action === "create" && renamedFrom !== undefined));
  const inSteps = steps.flatMap((step) => (kindOf(step) === "voice" && step.oldState?.id ? [step.oldState.id] : []));
  const before = new Set([...inSteps, ...held.flatMap(({ isOld, voice }) => (isOld ? [] : [voice]))]);
  return { voices: changes.filter(isReplaced).length, of: before.size, limit };
}

/** So few may be replaced whatever their share is. */
const fewest = 5;

/** A first update replaces nothing, so it is never over the limit. */
export function isReplacedOver({ voices, of, limit }: Replaced): boolean {
  return limit !== undefined && voices >= fewest && voices * 100 > limit * of;
}

export function percent(text: string): number {
  const [, digits] = /^(\d{1,3}(?:\.\d{1,3})?)\s?%?$/.exec(text.trim()) ?? [];
  if (digits === undefined || Number(digits) > 100) throw new InvalidArgumentError("It must be a share: 20%.");
  return Number(digits);
}
