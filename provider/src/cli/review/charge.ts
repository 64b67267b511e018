import { sumOf } from "../../rules/price";
import type { ResourceKind } from "../../rules/resource-types";
import { type Action, actions, type Change, isBilled } from "./change";
import type { Limits } from "./limits";

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
