import { InvalidArgumentError } from "commander";
import { maxBilledVariable } from "../../rules/billed-limit";
import { moneyText } from "../../rules/price";
import type { VoiceHolder } from "../../voices/holder";
import { counted } from "../listing";
import { type Change, kindOf } from "./change";
import type { Charge } from "./charge";
import type { Step } from "./step";

/* The limits of the command line, and what they apply to beside the charge. */

/** The number of the stack's voices whose ids change. All users of these voices need the new ids. */
export interface Replaced {
  voices: number;
  /** The number of the stack's voices before the update. */
  of: number;
  /** The value of `--max-replaced`, in percent. */
  limit?: number | undefined;
}

/** Counts the voices that are replaced, and the voices that are created again under a new resource name. */
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
  if (digits === undefined || Number(digits) > 100)
    throw new InvalidArgumentError("It must be a percentage from 0 to 100, e.g. 20%.");
  return Number(digits);
}

/** The part of a review to which limits apply. */
interface Counted {
  charge: Charge;
  replaced: Replaced;
}

/** A sentence for each limit of the command line and of the environment that the update exceeds. */
export function limitsExceeded({ charge, replaced }: Counted): string[] {
  const { atMost, currency, voices, imageTasks, decisions } = charge;
  const { limit = Infinity, voiceLimit = Infinity, imageTaskLimit = Infinity, decisionLimit = Infinity } = charge;
  const { mostBilled = {} } = charge;
  const [share, counts] = [replaced.limit ?? 100, `${replaced.voices} of ${replaced.of}`];
  const exceeded: [isOver: boolean, limit: string, option: string][] = [
    [atMost > limit, moneyText(limit, currency), "--max-cost"],
    [voices > voiceLimit, `${voiceLimit} voices`, "--max-voices"],
    [isReplacedOver(replaced), `${share}% of the stack's voices (${counts} are replaced)`, "--max-replaced"],
    [imageTasks > imageTaskLimit, `${imageTaskLimit} image tasks`, "--max-image-tasks"],
    [decisions > decisionLimit, `${decisionLimit} decisions`, "--max-decisions"],
    [voices > (mostBilled.voices ?? Infinity), `${mostBilled.voices} voices`, maxBilledVariable],
    [imageTasks > (mostBilled.images ?? Infinity), `${mostBilled.images} image tasks`, maxBilledVariable],
    [decisions > (mostBilled.decisions ?? Infinity), `${mostBilled.decisions} decisions`, maxBilledVariable],
  ];
  return exceeded.flatMap(([isOver, most, option]) => (isOver ? `Over the limit of ${most} that ${option} sets.` : []));
}

/** A sentence for each kind of charge that neither `--max-cost` nor another limit bounds. */
export function uncoveredText({ charge }: Counted): string[] {
  const { limit, unpriced, imageTaskLimit, decisionLimit } = charge;
  if (limit === undefined) return [];
  const kinds: [count: number, what: string, own: number | undefined, setting: string, option: string][] = [
    [unpriced.imageTasks, "image task", imageTaskLimit, "imagePrice", "--max-image-tasks"],
    [unpriced.decisions, "decision", decisionLimit, "decisionPricePerMillionTokens", "--max-decisions"],
  ];
  return kinds.flatMap(([count, what, own, setting, option]) => {
    if (count === 0 || own !== undefined) return [];
    const prices = `--max-cost does not cover ${counted(count, what)} at unknown prices`;
    return [`${prices}. Set cloudvoice:${setting}, or use ${option}.`];
  });
}
