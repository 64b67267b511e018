import { hiddenQuery } from "../../rules/public-url";
import { visible } from "../../rules/visible";
import type { Quota } from "./account";
import { type Action, actions, type Change, nameIn } from "./change";
import type { FieldChange, Kind } from "./fields";
import type { Group } from "./groups";
import { isOverQuota, type Review } from "./review";
import { dollars, limitsExceeded } from "./verdict";

/** Sentences that all forms of the review share. They contain no markup. */

const verbs: Record<Action, string> = {
  create: "to create",
  adopt: "to adopt",
  take: "to take over",
  replace: "to replace",
  update: "to update",
  delete: "to delete",
};
const nouns: Record<Kind, [string, string]> = {
  voice: ["voice", "voices"],
  image: ["image", "images"],
  decision: ["decision", "decisions"],
};

export const marks: Record<Action, string> = {
  create: "+",
  adopt: "+",
  take: "+",
  replace: "±",
  update: "~",
  delete: "−",
};

export function title({ project, stack }: Review): string {
  return project === "" ? "Review" : `Review of ${visible(`${project}/${stack}`)}`;
}

/** `2 voices to create, 1 to delete; 1 image to replace`. */
export function countsText({ counts, complete }: Review): string {
  const groups = (Object.keys(nouns) as Kind[]).map((kind) => {
    const present = actions.filter((action) => counts[kind][action] > 0);
    return present
      .map(
        (action, index) =>
          `${counts[kind][action]} ${index === 0 ? `${noun(kind, counts[kind][action])} ` : ""}${verbs[action]}`,
      )
      .join(", ");
  });
  const all = groups.filter(Boolean).join("; ");
  if (!complete) return all === "" ? "no changes are known, incomplete" : `${all}, incomplete`;
  return all || "nothing to change";
}

/** `at most $0.02 for 2 voices, plus 1 decision at unknown prices`. Never `$0.00 for 0 voices`. */
export function chargeText({ charge, complete }: Review): string {
  const unpriced = [
    charge.imageTasks > 0 && `${charge.imageTasks} image ${charge.imageTasks === 1 ? "task" : "tasks"}`,
    charge.decisions > 0 && `${charge.decisions} ${noun("decision", charge.decisions)}`,
  ].filter(Boolean);
  const parts = [
    charge.voices > 0 && `${dollars(charge.atMost)} for ${charge.voices} ${noun("voice", charge.voices)}`,
    unpriced.length > 0 && `${unpriced.join(" and ")} at unknown prices`,
  ].filter(Boolean);
  if (parts.length === 0) return complete ? "nothing" : "nothing so far";
  return `${complete ? "at most" : "so far"} ${parts.join(", plus ")}`;
}

/** The part of `chargeText` that has a price. */
export function voiceChargeText(review: Review): string {
  return chargeText({ ...review, charge: { ...review.charge, imageTasks: 0, decisions: 0 } });
}

export function quotaText({ quota, complete }: Review): string {
  if ("unknown" in quota) return `not known: ${visible(quota.unknown)}`;
  const counts = ({ now, peak, after, limit }: Omit<Quota, "check">) =>
    complete
      ? `${now} now, ${peak} at the peak, ${after} after, of ${limit}`
      : `${now} now, ${peak} at the peak so far, of ${limit}`;
  return counts(quota) + (quota.stack === undefined ? "" : `; in this stack ${counts(quota.stack)}`);
}

export function othersText({ others }: Review): string {
  if ("unknown" in others) return `not known: ${visible(others.unknown)}`;
  return others.length === 0 ? "none" : String(others.length);
}

/** Warnings for the first lines of the review. */
export function alarms(review: Review): string[] {
  const { blocked } = review;
  return [
    blocked !== undefined && `${blocked.charAt(0).toUpperCase()}${blocked.slice(1)}`,
    review.errors.length > 0 &&
      "The preview failed, so this review is incomplete. The update may create and cost more than is shown here.",
    !review.complete &&
      "unknown" in review.quota &&
      "The account's voices could not be listed, so this review is incomplete. It is not known whether voices are " +
        "missing and will be created again, and whether new voices fit the quota.",
    ...failures(review),
    isOverQuota(review) && "Over quota: the update will fail before it creates anything.",
    !isOverQuota(review) &&
      "limit" in review.quota &&
      review.quota.check === "warn" &&
      review.quota.peak > review.quota.limit &&
      "Over quota. quotaCheck is warn, so the update starts anyway and fails when the service rejects a voice.",
    ...limitsExceeded(review),
  ].filter((line) => line !== false);
}

const mostFailures = 10;

/** One line for each change at which the update will fail, with what waits for it. */
function failures({ changes }: Review): string[] {
  const lines = changes.flatMap(({ name, warning, waiting = [] }) =>
    warning === undefined ? [] : [`${name}: ${warning}.${waitingText(waiting.map(nameIn))}`],
  );
  const rest = lines.length - mostFailures;
  return rest > 0 ? [...lines.slice(0, mostFailures), `The update will fail at ${rest} more resources.`] : lines;
}

const mostWaiting = 5;

function waitingText(names: string[]): string {
  if (names.length === 0) return "";
  const rest = names.length - mostWaiting;
  const shown = names.slice(0, mostWaiting).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
  return ` What waits behind it: ${shown}.`;
}

export function chargeOfChange({ kind, action, charge }: Change): string {
  if (kind === "voice") return charge > 0 ? dollars(charge) : "–";
  return action === "create" || action === "replace" ? (kind === "image" ? "1 task" : "1 call") : "–";
}

/** `334 voices to replace`. */
export function groupText({ kind, action, changes }: Group): string {
  return `${changes.length} ${noun(kind, changes.length)} ${verbs[action]}`;
}

export function chargeOfGroup({ kind, action, changes }: Group): string {
  if (kind === "voice") {
    const total = changes.reduce((sum, { charge }) => sum + charge, 0);
    return total > 0 ? dollars(total) : "–";
  }
  if (action !== "create" && action !== "replace") return "–";
  const unit = kind === "image" ? "task" : "call";
  return `${changes.length} ${unit}${changes.length === 1 ? "" : "s"}`;
}

/** `old → new`, or only `new` for a new resource. */
export function valueText(
  { action }: Change,
  { old, new: fresh }: FieldChange,
  quote = (text: string) => text,
): string {
  const value = (text: string | undefined) => (text === undefined ? "(none)" : quote(text));
  if (old === "[secret]" && fresh === old) return "another secret";
  if (old === fresh && old?.includes(hiddenQuery)) return `${value(old)} (another signature)`;
  return action === "create" || action === "adopt" || action === "take"
    ? value(fresh)
    : `${value(old)} → ${value(fresh)}`;
}

export function fieldText(change: Change, field: FieldChange, quote?: (text: string) => string): string {
  // The names of a resource's own inputs are words. Any other name comes from the program.
  const name = /^\w+$/.test(field.field) ? field.field : (quote?.(field.field) ?? field.field);
  return `${name}: ${valueText(change, field, quote)}`;
}

function noun(kind: Kind, count: number): string {
  return nouns[kind][count === 1 ? 0 : 1];
}
