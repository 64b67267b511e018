import { nameInVoice } from "../../rules/naming";
import { voicesCost } from "../../rules/price";
import { quotaFaultBegins } from "../../rules/quota";
import type { QuotaCheck } from "../../rules/settings";
import { visible } from "../../rules/visible";
import { createdAt } from "../../rules/time";
import type { ListedVoice } from "../../service/voices/client";
import { VoiceIndex } from "../../service/voices/voice-index";
import { type Action, actions, type Change, changeOf, goneOf, kindOf } from "./change";
import type { Kind } from "./fields";
import type { Preview } from "./preview";

/** What a change makes, costs and uses up: everything that any form of the review tells. */
export interface Review {
  project: string;
  stack: string;
  /** False when the preview failed: then there may be more than is told here. */
  complete: boolean;
  errors: string[];
  counts: Record<Kind, Record<Action, number>>;
  charge: {
    /** US dollars for voices, at most. */
    atMost: number;
    voices: number;
    /** Billed too, at prices that the service's contract does not name. */
    imageTasks: number;
    decisions: number;
    /** Given with `--max-cost`. */
    limit?: number | undefined;
  };
  quota: Quota | { unknown: string };
  changes: Change[];
  /** Voices of the account that this stack's state does not hold. */
  others: OtherVoice[] | { unknown: string };
  notes: string[];
}

export interface Quota {
  limit: number;
  /** Whether an update over the limit is refused: `quotaCheck`. */
  check: QuotaCheck;
  now: number;
  /** The most at any one time during the update. */
  peak: number;
  after: number;
}

export interface OtherVoice {
  voice: string;
  name: string;
  createdAt: string;
}

export interface ReviewFacts {
  preview: Preview;
  /** The stack, as far as it is known otherwise: a preview that failed at once names none. */
  named?: StackName;
  /** All voices of the account, or why they are not known. */
  account: ListedVoice[] | { unknown: string };
  /** What the state holds, also copies that wait for their delete, which no preview shows; undefined when the state could not be asked. */
  held?: { id: string; waitsForDelete: boolean }[] | undefined;
  voiceQuota: number;
  quotaCheck: QuotaCheck;
  maxCost?: number | undefined;
  nowMs: number;
}

export function reviewOf({
  preview,
  named = { project: "", stack: "" },
  account,
  held: inState,
  voiceQuota,
  quotaCheck,
  maxCost,
  nowMs,
}: ReviewFacts): Review {
  const steps = preview.steps.filter((step) => kindOf(step) !== undefined);
  const idsOf = (...operations: string[]) =>
    steps.flatMap(({ op, oldState }) =>
      operations.length === 0 || operations.includes(op) ? (oldState?.id ?? []) : [],
    );
  const going = new Set(idsOf("delete", "replace"));
  const held = inState ?? [];
  const waiting = held.filter(({ waitsForDelete }) => waitsForDelete).map(({ id }) => id);
  const kept = new Set([
    ...idsOf("same", "update"),
    ...held.filter(({ id, waitsForDelete }) => !waitsForDelete && !going.has(id)).map(({ id }) => id),
  ]);
  const listed = Array.isArray(account) ? account : [];
  const around = {
    free: new VoiceIndex(listed.filter(({ voice }) => !kept.has(voice))),
    accountIsKnown: Array.isArray(account),
    refreshed: new Set(steps.filter(({ op }) => op === "refresh").map(({ urn }) => urn)),
    nowMs,
  };
  const present = new Set(listed.map(({ voice }) => voice));
  const gone = steps.filter(
    (step) =>
      around.accountIsKnown && step.op === "same" && kindOf(step) === "voice" && !present.has(step.oldState?.id ?? ""),
  );
  const changes = [...steps.flatMap((step) => changeOf(step, around) ?? []), ...gone.map(goneOf)].sort(
    byKindActionAndName,
  );
  const known = new Set([...idsOf(), ...changes.map(({ takes }) => takes), ...held.map(({ id }) => id)]);
  return {
    ...(stackOf(preview) ?? named),
    complete: preview.errors.length === 0,
    errors: preview.errors,
    counts: countsOf(changes),
    charge: chargeOf(changes, maxCost),
    quota: Array.isArray(account)
      ? quotaOf(
          changes,
          present,
          waiting.filter((id) => !kept.has(id)),
          { limit: voiceQuota, check: quotaCheck },
        )
      : account,
    changes,
    others: othersOf(account, known, preview.whole || inState !== undefined),
    notes: [
      ...preview.notes,
      ...changes.flatMap(({ name, warning }) => (warning === undefined ? [] : [`${name}: ${warning}`])),
    ],
  };
}

/** As the provider judges it: an account that is too full is a fault of those who want more. */
export function isOverQuota({ quota, charge, errors }: Review): boolean {
  return (
    ("limit" in quota && quota.check === "error" && charge.voices > 0 && quota.peak > quota.limit) ||
    errors.some((error) => error.includes(quotaFaultBegins))
  );
}

export function isOverCost({ charge }: Review): boolean {
  return charge.limit !== undefined && charge.atMost > charge.limit;
}

export interface StackName {
  project: string;
  stack: string;
}

/** As the resources' URNs name it (`urn:pulumi:<stack>::<project>::…`); undefined when there are none. */
export function stackOf({ steps }: Preview): StackName | undefined {
  const [, stack, project] = /^urn:pulumi:([^:]+)::([^:]+)::/.exec(steps[0]?.urn ?? "") ?? [];
  return stack === undefined || project === undefined ? undefined : { project, stack };
}

const kindOrder: readonly Kind[] = ["voice", "image", "decision"];

function byKindActionAndName(a: Change, b: Change): number {
  return (
    kindOrder.indexOf(a.kind) - kindOrder.indexOf(b.kind) ||
    actions.indexOf(a.action) - actions.indexOf(b.action) ||
    (a.urn < b.urn ? -1 : 1)
  );
}

function countsOf(changes: Change[]): Review["counts"] {
  const none = () => Object.fromEntries(actions.map((action) => [action, 0])) as Record<Action, number>;
  const counts = { voice: none(), image: none(), decision: none() };
  for (const { kind, action } of changes) counts[kind][action]++;
  return counts;
}

function chargeOf(changes: Change[], limit: number | undefined): Review["charge"] {
  const made = (kind: Kind) =>
    changes.filter((change) => change.kind === kind && (change.action === "create" || change.action === "replace"));
  const voices = made("voice").filter(({ charge }) => charge > 0).length;
  return {
    atMost: voicesCost(voices),
    voices,
    imageTasks: made("image").length,
    decisions: made("decision").length,
    limit,
  };
}

/** New voices come first and old ones go last, except where a replacement deletes first. */
function quotaOf(
  changes: Change[],
  present: ReadonlySet<string>,
  waiting: string[],
  terms: Pick<Quota, "limit" | "check">,
): Quota {
  const voices = changes.filter(({ kind }) => kind === "voice");
  const fresh = voices.filter(({ charge }) => charge > 0).length;
  const taken = new Set(voices.map(({ takes }) => takes));
  const ends = voices.filter(
    ({ action, id = "", retained }) =>
      (action === "replace" || action === "delete") && retained !== true && present.has(id) && !taken.has(id),
  );
  const goes = new Set([...ends.map(({ id }) => id), ...waiting.filter((id) => present.has(id) && !taken.has(id))]);
  const firsts = ends.filter(({ deletesFirst }) => deletesFirst).length;
  const now = present.size;
  return { ...terms, now, peak: Math.max(now, now + fresh - firsts), after: now + fresh - goes.size };
}

function othersOf(
  account: ReviewFacts["account"],
  known: ReadonlySet<string | undefined>,
  stateIsKnown: boolean,
): Review["others"] {
  if (!Array.isArray(account)) return account;
  if (!stateIsKnown)
    return {
      unknown:
        "the preview does not show what stays unchanged; make it with --show-sames, or name the stack with --stack",
    };
  return account
    .filter(({ voice }) => !known.has(voice))
    .map(({ voice, gmtCreate }) => ({
      voice: visible(voice),
      name: nameInVoice(voice) ?? "",
      createdAt: createdAt(gmtCreate) ?? "",
    }))
    .sort((a, b) => a.createdAt.localeCompare(b.createdAt));
}
