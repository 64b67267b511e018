import { maxBilledVariable } from "../../rules/billed-limit";
import { moneyText } from "../../rules/price";
import { counted } from "../../rules/first-of";
import { type Change, kindOf } from "./change";
import type { Charge } from "./charge";
import type { Step } from "./step";

/* What a review counts beside the charge, and which limits the update exceeds. */

/** The number of the stack's voices whose ids change. All users of these voices need the new ids. */
export interface Replaced {
  voices: number;
  /** The number of the stack's voices before the update. */
  of: number;
  /** The value of `replaced` in `--limit`, in percent. */
  limit?: number | undefined;
}

/** Counts the voices that are replaced, and the voices that are created again under a new resource name. */
export function replacedVoices(changes: readonly Change[], steps: readonly Step[], limit?: number): Replaced {
  const isReplaced = ({ kind, action, takes, unsure, renamedFrom }: Change) =>
    kind === "voice" &&
    takes === undefined &&
    unsure !== true &&
    (action === "replace" || (action === "create" && renamedFrom !== undefined));
  const inSteps = steps.flatMap((step) => (kindOf(step) === "voice" && step.oldState?.id ? [step.oldState.id] : []));
  const before = new Set(inSteps);
  return { voices: changes.filter(isReplaced).length, of: before.size, limit };
}

/** Fewer replacements than this are never over the limit, whatever their share is. */
const fewestReplaced = 5;

export function isReplacedOver({ voices, of, limit }: Replaced): boolean {
  return limit !== undefined && voices >= fewestReplaced && voices * 100 > limit * of;
}

/** The part of a review to which limits apply. */
interface Counted {
  charge: Charge;
  replaced: Replaced;
}

/** A sentence for each limit of the command line and of the environment that the update exceeds. */
export function limitsExceeded({ charge, replaced }: Counted): string[] {
  const { atMost, currency, voices, imageTasks, decisions, limits } = charge;
  const { mostBilled = {}, cost = Infinity } = limits;
  const [share, counts] = [replaced.limit ?? 100, `${replaced.voices} of ${replaced.of}`];
  const exceeded: [isOver: boolean, limit: string, option: string][] = [
    [atMost > cost, moneyText(cost, currency), "--limit"],
    [voices > (limits.voices ?? Infinity), `${limits.voices} voices`, "--limit"],
    [isReplacedOver(replaced), `${share}% of the stack's voices (${counts} are replaced)`, "--limit"],
    [imageTasks > (limits.images ?? Infinity), `${limits.images} image tasks`, "--limit"],
    [decisions > (limits.decisions ?? Infinity), `${limits.decisions} decisions`, "--limit"],
    [voices > (mostBilled.voices ?? Infinity), `${mostBilled.voices} voices`, maxBilledVariable],
    [imageTasks > (mostBilled.images ?? Infinity), `${mostBilled.images} image tasks`, maxBilledVariable],
    [decisions > (mostBilled.decisions ?? Infinity), `${mostBilled.decisions} decisions`, maxBilledVariable],
  ];
  return exceeded.flatMap(([isOver, most, option]) => (isOver ? `Over the limit of ${most} that ${option} sets.` : []));
}

/** A sentence for each kind of charge that no limit bounds, although the cost is limited. */
export function uncoveredText({ charge: { limits, unpriced } }: Counted): string[] {
  if (limits.cost === undefined) return [];
  const kinds: [count: number, what: string, bound: number | undefined, setting: string, limit: string][] = [
    [unpriced.imageTasks, "image task", limits.images, "imagePrice", "images=…"],
    [unpriced.decisions, "decision", limits.decisions, "decisionPricePerMillionTokens", "decisions=…"],
  ];
  return kinds.flatMap(([count, what, bound, setting, limit]) => {
    if (count === 0 || bound !== undefined) return [];
    const prices = `The limit of the cost does not cover ${counted(count, what)} at unknown prices`;
    return [`${prices}. Set cloudvoice:${setting}, or add ${limit} to --limit.`];
  });
}
