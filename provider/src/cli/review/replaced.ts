import { InvalidArgumentError } from "commander";
import type { VoiceHolder } from "../../voices/holder";
import { type Change, kindOf } from "./change";
import type { Step } from "./step";

/** How many of the stack's voices change their id, which all their users then have to learn. */
export interface Replaced {
  voices: number;
  /** The number of the stack's voices before the update. */
  of: number;
  /** The value of `--max-replaced`, in percent. */
  limit?: number | undefined;
}

/** Counts the replaced voices, and those that are created again under a new resource name. */
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

/** Fewer replacements than this are never over the limit, whatever their share is. */
const fewestReplaced = 5;

export function isReplacedOver({ voices, of, limit }: Replaced): boolean {
  return limit !== undefined && voices >= fewestReplaced && voices * 100 > limit * of;
}

export function percent(text: string): number {
  const [, digits] = /^(\d{1,3}(?:\.\d{1,3})?)\s?%?$/.exec(text.trim()) ?? [];
  if (digits === undefined || Number(digits) > 100) throw new InvalidArgumentError("It must be a share: 20%.");
  return Number(digits);
}
