import { moneyText, sumOf } from "../../rules/price";
import type { ResourceKind } from "../../rules/resource-types";
import { type Action, actions, type Change, isBilled, kindOf } from "./change";
import { InvalidArgumentError } from "commander";
import { countForms, maxBilledVariable, type MostBilled, numbersIn } from "../../rules/billed-limit";
import { counted } from "../../rules/visible";
import type { Step } from "./preview";

/** What one update may bill and replace: `voices=12,images=3,decisions=5,cost=5,replaced=20%`. */
export interface Limits {
  voices?: number;
  images?: number;
  decisions?: number;
  cost?: number;
  /** In percent of the stack's voices. */
  replaced?: number;
  /** The value of `CLOUDVOICE_MAX_BILLED`. */
  mostBilled?: MostBilled;
}

const limitForms = { ...countForms, cost: /^\d{1,9}(\.\d{1,9})?$/, replaced: /^(\d{1,2}(\.\d{1,3})?|100)%$/ };

/** Parses the option `--limit`. */
export function limitsIn(text: string): Limits {
  const limits = numbersIn(text, limitForms);
  if (limits !== undefined) return limits;
  throw new InvalidArgumentError(
    `It must have at most one number for each of ${Object.keys(limitForms).join(", ")}, as ` +
      "voices=12,images=3,decisions=5,cost=5,replaced=20%.",
  );
}

export type ChangeCounts = Record<ResourceKind, Record<Action, number>>;

/** The charge of the changes, and the limits on the command line. */
export interface Charge {
  /** The highest charge for everything with a known price. Decisions count with an estimate. */
  atMost: number;
  currency: string;
  voices: number;
  imageTasks: number;
  decisions: number;
  unpriced: { imageTasks: number; decisions: number };
  /** The limits of the command line, and `CLOUDVOICE_MAX_BILLED`, beyond which the update refuses to send a request. */
  limits: Limits;
}

export function countsOf(changes: Change[]): ChangeCounts {
  const none = () => Object.fromEntries(actions.map((action) => [action, 0])) as Record<Action, number>;
  const counts = { voice: none(), image: none(), decision: none() };
  for (const { kind, action } of changes) counts[kind][action]++;
  return counts;
}

export function chargeOf(changes: Change[], currency: string, limits: Limits): Charge {
  const billed = changes.filter(isBilled);
  const count = (kind: ResourceKind, of = billed) => of.filter((change) => change.kind === kind).length;
  const unpriced = billed.filter((change) => change.unpriced);
  return {
    atMost: sumOf(changes.map(({ charge }) => charge)),
    currency,
    voices: count("voice"),
    imageTasks: count("image"),
    decisions: count("decision"),
    unpriced: { imageTasks: count("image", unpriced), decisions: count("decision", unpriced) },
    limits,
  };
}

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
