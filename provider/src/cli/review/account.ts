import { nameInVoice } from "../../rules/naming";
import type { QuotaCheck } from "../../rules/settings";
import { createdAt } from "../../rules/time";
import { visible } from "../../rules/visible";
import type { ListedVoice } from "../../service/voices/client";
import { type Change, replacesOrDeletes } from "./change";
import type { Step } from "./preview";

/** The voices of the account, or why they are not known. */
export type Account = ListedVoice[] | { unknown: string };

export interface Quota {
  limit: number;
  /** Whether an update over the limit is rejected: the setting `quotaCheck`. */
  check: QuotaCheck;
  now: number;
  /** The highest number at any time during the update. */
  peak: number;
  after: number;
}

export interface OtherVoice {
  voice: string;
  name: string;
  createdAt: string;
}

/** One voice of the stack's state, as `pulumi stack export` reports it. */
export interface ExportedVoice {
  id: string;
  /** An old copy that an interrupted replacement left. The next update deletes it, and no preview shows it. */
  pendingDelete: boolean;
  /** The fingerprint of the account that the voice was created in. */
  account?: string | undefined;
}

/** The voices of the stack's state, as far as the preview's steps and the export show them. */
export function inState(steps: Step[], exported: ExportedVoice[] = []): ExportedVoice[] {
  const fromSteps = steps.flatMap(({ oldState }): ExportedVoice[] => {
    const account = oldState?.outputs.account;
    if (oldState?.id === undefined || typeof account !== "string") return [];
    return [{ id: oldState.id, pendingDelete: false, account }];
  });
  return [...fromSteps, ...exported];
}

/**
 * The list, unless it seems to be of another account: a voice is missing from it, and the state records another
 * address or key for that voice. Everything would look as if it had been deleted. After a rotation of the key it is the
 * same account if it has another voice that the state records with the old key, or if `rotatedFrom` confirms it, as in
 * an update.
 */
export function trustedAccount(
  account: Account,
  held: readonly ExportedVoice[],
  fingerprint: string | undefined,
  rotatedFrom?: string,
): Account {
  if (!Array.isArray(account) || fingerprint === undefined) return account;
  const listed = new Set(account.map(({ voice }) => voice));
  const proven = held.filter(({ id }) => listed.has(id)).map((voice) => voice.account);
  const ours = new Set([undefined, fingerprint, rotatedFrom, ...proven]);
  const foreign = held.find((voice) => !listed.has(voice.id) && !ours.has(voice.account));
  if (foreign === undefined) return account;
  return {
    unknown:
      `the key or the address seems to belong to another account: the account that was listed does not have the voice ` +
      `${visible(foreign.id)}, and the state records another key or address for it. Set the key and the address that ` +
      "the voices were created with. If this is a new key of the same account, run this once with " +
      `CLOUDVOICE_ROTATED_FROM=${visible(foreign.account ?? "")}`,
  };
}

/** Ids of the resources in the stack's state. */
export interface IdsInState {
  all: ReadonlySet<string>;
  /** In the state before and after the update. */
  kept: ReadonlySet<string>;
  /** Old copies that the update deletes although the preview has no step for them. */
  pendingDelete: ReadonlySet<string>;
}

export function idsInState(steps: Step[], exported: ExportedVoice[] = []): IdsInState {
  const ending = new Set(oldIds(steps, "delete", "replace"));
  const live = exported.filter(({ id, pendingDelete }) => !pendingDelete && !ending.has(id));
  const kept = new Set([...oldIds(steps, "same", "update"), ...live.map(({ id }) => id)]);
  const pending = exported.filter(({ id, pendingDelete }) => pendingDelete && !kept.has(id));
  return {
    all: new Set([...steps.flatMap(oldId), ...exported.map(({ id }) => id)]),
    kept,
    pendingDelete: new Set(pending.map(({ id }) => id)),
  };
}

function oldIds(steps: Step[], ...operations: string[]): string[] {
  return steps.filter(({ op }) => operations.includes(op)).flatMap(oldId);
}

function oldId({ oldState }: Step): string[] {
  return oldState?.id === undefined ? [] : [oldState.id];
}

/** New voices are created first and old ones are deleted last, except where a replacement deletes first. */
export function voiceCounts(
  changes: Change[],
  listed: ListedVoice[],
  pendingDelete: ReadonlySet<string>,
): Pick<Quota, "now" | "peak" | "after"> {
  const voices = changes.filter(({ kind }) => kind === "voice");
  const present = new Set(listed.map(({ voice }) => voice));
  const reused = new Set(voices.map(({ takes }) => takes));
  const canGo = (id: string) => present.has(id) && !reused.has(id);

  const deleting = voices.filter(
    (change) => replacesOrDeletes(change) && change.retained !== true && canGo(change.id ?? ""),
  );
  const deleted = new Set([...deleting.map(({ id }) => id), ...[...pendingDelete].filter(canGo)]);
  const deletedFirst = deleting.filter(({ deletesFirst }) => deletesFirst).length;
  const created = voices.filter(({ charge }) => charge > 0).length;
  const now = present.size;
  return { now, peak: Math.max(now, now + created - deletedFirst), after: now + created - deleted.size };
}

/** Voices of the account that are not in the stack's state and that no change adopts, the oldest first. */
export function otherVoices(listed: ListedVoice[], changes: Change[], inState: ReadonlySet<string>): OtherVoice[] {
  const reused = new Set(changes.map(({ takes }) => takes));
  return listed
    .filter(({ voice }) => !inState.has(voice) && !reused.has(voice))
    .map(({ voice, gmtCreate }) => ({
      voice: visible(voice),
      name: nameInVoice(voice) ?? "",
      createdAt: createdAt(gmtCreate) ?? "",
    }))
    .sort((a, b) => a.createdAt.localeCompare(b.createdAt));
}
