import { moneyText, sumOf } from "../../rules/price";
import { hiddenQuery } from "../../rules/public-url";
import { counted, firstOf, isolated, shellQuoted, textsOf, visible } from "../../rules/visible";
import { secretText } from "../../rules/rights";
import type { Meaning } from "../print";
import { type Action, actions, type Change, isBilled, shownName } from "./change";
import { type FieldChange, kinds, rightsText } from "./fields";
import { isOverQuota } from "./quota";
import type { Review } from "./review";
import { limitsExceeded, uncoveredText } from "./charge";
import { acceptVariable } from "../../rules/question";

/* Sentences that the forms of a review share: text, comment and page. The sentences do not contain markup. */

export const marks = { create: "+", adopt: "+", take: "+", replace: "±", update: "~", delete: "−" };

/** The meaning of each action, which sets the colour of its mark. */
export const meanings: Record<Action, Meaning> = {
  ...{ create: "new", adopt: "new", take: "new" },
  ...{ replace: "careful", update: "changed", delete: "bad" },
};

export const deletedHeading = "Voices that are deleted (programs that use their names stop working)";

/** `3 voices to take over`. */
function plannedText(count: string | number, action: Action): string {
  return `${count} to ${action === "take" ? "take over" : action}`;
}

export function title({ project, stack }: Review): string {
  return project === "" ? "Review" : `Review of ${visible(`${project}/${stack}`)}`;
}

/** `2 voices to create, 1 to delete; 1 image to replace`. */
export function countsText({ counts, complete }: Review): string {
  const groups = kinds.map((kind) =>
    actions
      .filter((action) => counts[kind][action] > 0)
      .map((action, index) => {
        const count = counts[kind][action];
        return plannedText(index === 0 ? counted(count, kind) : count, action);
      })
      .join(", "),
  );
  const all = groups.filter(Boolean).join("; ");
  if (!complete) return all === "" ? "no changes are known, incomplete" : `${all}, incomplete`;
  return all || "nothing to change";
}

/** `at most $0.02 for 2 voices, plus 1 decision at unknown prices`. Never `$0.00 for 0 voices`. */
export function chargeText(review: Review): string {
  const priced = pricedText(review);
  const list = listText({ voices: 0, ...review.charge.unpriced });
  if (list === "") return priced || (review.complete ? "nothing" : "nothing so far");
  const unpriced = `${list} at unknown prices`;
  return priced === "" ? `${review.complete ? "at most" : "so far"} ${unpriced}` : `${priced}, plus ${unpriced}`;
}

/** The part of `chargeText` whose price is known. Empty if no price is known. */
export function pricedText({ charge, complete }: Review): string {
  const { imageTasks, decisions, unpriced, atMost, currency } = charge;
  const priced = { imageTasks: imageTasks - unpriced.imageTasks, decisions: decisions - unpriced.decisions };
  const isEstimate = priced.decisions > 0;
  const list = listText({ ...charge, ...priced });
  if (list === "") return "";
  const bound = complete ? (isEstimate ? "about" : "at most") : "so far";
  return `${bound} ${moneyText(atMost, currency)} for ${list}${isEstimate ? " (the tokens are estimated)" : ""}`;
}

/** `2 voices, 1 image task and 1 decision`. */
function listText({ voices, imageTasks, decisions }: Review["charge"]["unpriced"] & { voices: number }): string {
  const parts = textsOf([
    voices > 0 && counted(voices, "voice"),
    imageTasks > 0 && counted(imageTasks, "image task"),
    decisions > 0 && counted(decisions, "decision"),
  ]);
  return new Intl.ListFormat("en-GB").format(parts);
}

/** `3 now, 5 at the peak, 5 after, of 1000`, for each account in which the update creates a voice. */
export function quotaText({ quotas, complete }: Review): string {
  const texts = quotas.map(({ account, now, peak, after, limit }) => {
    const counts = complete
      ? `${now} now, ${peak} at the peak, ${after} after, of ${limit}`
      : `${now} now, ${peak} at the peak so far, of ${limit}`;
    return quotas.length === 1 ? counts : `${counts} (account ${account})`;
  });
  return texts.join("; ") || "none is created";
}

export function alarms(review: Review): string[] {
  const { blocked } = review;
  return textsOf([
    ...(review.doubtfulPrices ?? []),
    ...questionLines(review.questions),
    gatesText(review),
    blocked !== undefined && `${blocked.charAt(0).toUpperCase()}${blocked.slice(1)}`,
    review.errors.length > 0 && "This review is incomplete. The update may create and cost more than is shown here.",
    ...failures(review),
    isOverQuota(review) && "Over quota: the update will fail before it creates anything.",
    ...limitsExceeded(review),
    ...uncoveredText(review),
  ]);
}

/** Formats one line for each question, and a line with the variable that says yes to all questions. */
function questionLines(questions: Review["questions"]): string[] {
  if (questions.length === 0) return [];
  const lines = questions.map(({ uncertain, yes, otherwise }) =>
    [`Question: ${uncertain}`, otherwise, `If you say yes, ${yes}.`].filter(Boolean).join(" "),
  );
  const all = `${acceptVariable}=${questions.map(({ id }) => id).join(",")}`;
  return [...lines, `To say yes${questions.length > 1 ? " to all of them" : ""}, run the update with ${all}`];
}

/** `1 gate is answered only in the update (texts); 11 changes wait for it`. */
function gatesText({ changes }: Review): string | undefined {
  const asked = changes.filter(({ gate }) => gate?.opens === "at the update");
  if (asked.length === 0) return undefined;
  const waiting = new Set(asked.flatMap((change) => change.waiting ?? [])).size;
  const [are, them] = asked.length === 1 ? ["is", "it"] : ["are", "them"];
  const wait = waiting === 0 ? "" : `; ${counted(waiting, "change")} ${waiting === 1 ? "waits" : "wait"} for ${them}`;
  const names = firstOf(asked.map(({ name }) => isolated(name)));
  return `${counted(asked.length, "gate")} ${are} answered only in the update (${names})${wait}.`;
}

const mostFailures = 10;

/** One line for each change at which the update will fail, with the changes that wait for it. */
function failures({ changes }: Review): string[] {
  const lines = changes.flatMap(({ name, warning, waiting = [] }) =>
    warning === undefined ? [] : [`${isolated(name)}: ${warning}.${waitingText(waiting)}`],
  );
  const rest = lines.length - mostFailures;
  return rest > 0
    ? [...lines.slice(0, mostFailures), `The update will fail at ${counted(rest, "more resource")}.`]
    : lines;
}

function waitingText(urns: string[]): string {
  return urns.length === 0 ? "" : ` Waiting behind it: ${firstOf(urns.map(shownName).map(isolated))}.`;
}

/** The command that plays the recordings of a change. */
export function howToHear({ stack }: Pick<Review, "stack">): string {
  const command = "npx --no-install pulumi-cloudvoice review --embed-audio --save review.html";
  return stack === "" ? command : `${command} --stack ${shellQuoted(stack)}`;
}

/** `13.7 s → 14.3 s`: the lengths of the old and the new recording. Undefined if the recording does not change. */
export function otherRecording({ kind, action, audio, fields }: Change): string | undefined {
  const isOther = kind === "voice" && action === "replace" && fields.some(({ field }) => field === "audio");
  if (!isOther || !audio?.old || !audio.new) return undefined;
  const length = (seconds: number | undefined) =>
    seconds === undefined ? "unknown length" : `${seconds.toFixed(1)} s`;
  return `${length(audio.old.seconds)} → ${length(audio.new.seconds)}`;
}

/** From this number of changes on, the comment and the terminal show groups, and the page folds its groups. */
export const manyChanges = 20;

/** Changes of one kind and action with one reason. */
export interface Group extends Pick<Change, "kind" | "action"> {
  reason: string;
  changes: Change[];
}

/** Groups the changes and keeps their order. Within one kind and action, the largest group is first. */
export function groupsOf(changes: readonly Change[]): Group[] {
  const groups = new Map<string, Group>();
  for (const change of changes) {
    const { kind, action } = change;
    const reason = reasonOf(change);
    const key = JSON.stringify([kind, action, reason]);
    const group = groups.get(key);
    if (group) group.changes.push(change);
    else groups.set(key, { kind, action, reason, changes: [change] });
  }
  const order = [...new Set(changes.map(placeOf))];
  return [...groups.values()].sort(
    (a, b) => order.indexOf(placeOf(a)) - order.indexOf(placeOf(b)) || b.changes.length - a.changes.length,
  );
}

function placeOf({ kind, action }: Pick<Group, "kind" | "action">): string {
  return `${kind} ${action}`;
}

const longestReason = 200;

/** The first part of `why`, which a group shares. Later parts name single voices. */
function reasonOf({ why, retained }: Change): string {
  const reason = (why.split("; ")[0] ?? "").slice(0, longestReason);
  return retained === true ? `${reason}; the old voice stays in the account` : reason;
}

/** `334 voices to replace`. */
export function groupText({ kind, action, changes }: Group): string {
  return plannedText(counted(changes.length, kind), action);
}

/** The table of changes, with a column of rights if a change has rights. Each form quotes the cells itself. */
export function changeTable(changes: readonly Change[], currency: string) {
  const hasRights = changes.some(({ rights }) => rights !== undefined);
  const head = ["", "kind", "resource", "why", ...(hasRights ? ["rights"] : []), "charge"];
  const rows = changes.map((change) => ({
    change,
    rights: hasRights ? [change.rights ? rightsText(change.rights) : ""] : [],
    charge: chargeShown([change], currency),
  }));
  return { head, rows, hasRights };
}

/** The charge of changes of one kind and action: `$0.02`, `≈ $0.0004`, `1 task`, `$0.05 + 1 task`. */
export function chargeShown(changes: readonly Change[], currency: string): string {
  const billed = changes.filter(isBilled);
  const [first] = billed;
  if (first === undefined) return "–";
  const unpriced = billed.filter((change) => change.unpriced).length;
  const amount = moneyText(sumOf(billed.map(({ charge }) => charge)), currency);
  const unit = counted(unpriced, first.kind === "image" ? "task" : "call");
  const price = billed.length > unpriced && (first.kind === "decision" ? `≈ ${amount}` : amount);
  return [price, unpriced > 0 && unit].filter(Boolean).join(" + ");
}

/** `old → new`, or only `new` for a new resource. */
export function valueText(
  { action }: Change,
  { old, new: fresh, looksSame }: FieldChange,
  quote: (text: string) => string = isolated,
): string {
  const value = (text: string | undefined) => (text === undefined ? "(none)" : quote(text));
  if (old === secretText && fresh === old) return "another secret";
  if (looksSame) return `${value(fresh)} (looks the same; white space, line ends or the Unicode form differ)`;
  if (old === fresh && old?.includes(hiddenQuery)) return `${value(old)} (another signature)`;
  return ["create", "adopt", "take"].includes(action) ? value(fresh) : `${value(old)} → ${value(fresh)}`;
}

export function fieldText(change: Change, field: FieldChange, quote: (text: string) => string = isolated): string {
  // The name of an input is one word. Any other name comes from the program, so it is quoted.
  const name = /^\w+$/.test(field.field) ? field.field : quote(field.field);
  return `${name}: ${valueText(change, field, quote)}`;
}
