import { describeThrown } from "../../describe-thrown";
import { CloudVoiceError } from "../../errors";
import { afterFailedCreate, lookWaitsMs } from "../../rules/lost-create";
import type { Clock } from "../clock";
import type { KeyedQueue } from "../keyed-queue";
import type { Account } from "./account";
import type { CreatedVoice, ListedVoice, VoiceClient, VoiceRequest } from "./client";

/*
 * Creates a voice exactly once, although the interface has no idempotency key.
 *
 * A generated name identifies one resource with one content (rules/naming.ts), so a voice of that name that no one
 * holds is the one we want: created by a run that was killed, or by this one when the response was lost. A chosen
 * name identifies nothing, so only a voice that appeared since the create was sent can be ours.
 */

export interface MadeVoice extends CreatedVoice {
  createdAt?: string | undefined;
  requestId?: string | undefined;
  /** Whether the voice was found under its own name and not paid for again. */
  reused: boolean;
}

export interface CreateOnceDependencies {
  client: Pick<VoiceClient, "create">;
  account: Account;
  clock: Clock;
  maxRetries: number;
  /** How long the voice of a create whose outcome is unknown is looked for before the create is sent again. */
  settleMs: number;
  /**
   * Creates of one name run in order: otherwise a lost response could be resolved with the voice of the next create.
   */
  queue: KeyedQueue;
  /** Which of the voices with the name of this create may be reused. Rejects if the create must not go on. */
  resolve: (named: ListedVoice[]) => Promise<ListedVoice | undefined>;
  /** The same for the voices that an interrupted replacement was to replace: they are reused if nothing else is found. */
  resolveReplaced: (named: ListedVoice[]) => Promise<ListedVoice | undefined>;
  /** Until when the voice of an interrupted create may still appear in the list; undefined if there was none. */
  unfinishedUntilMs: (seen: ListedVoice[]) => Promise<number | undefined>;
  /** Whether the voice existed before this operation, so that a create of this operation did not make it. */
  existedBefore: (voice: string) => Promise<boolean>;
  /** Records that the resource of this create holds the voice from now on. */
  claim: (voice: string) => void;
  /** Called before each billed request. Rejects if no one would save the result. */
  beforeSend: () => Promise<void>;
  /** Called when the voice of a create did not appear in time, so that the create counts as not done. */
  onNotDone: () => Promise<void>;
  log: (line: string) => void;
}

export async function createVoiceOnce(
  request: VoiceRequest,
  generated: boolean,
  using: CreateOnceDependencies,
): Promise<MadeVoice> {
  return using.queue.run(request.preferredName, async () => {
    const named = await voicesNamed(request, generated, using.account);
    const existing =
      (await using.resolve(named)) ?? (generated ? await awaitUnfinished(request, named, using) : undefined);
    const made = existing ? reuse(existing) : await create(request, generated, named, using);
    using.claim(made.voice);
    using.account.add({ voice: made.voice, targetModel: made.targetModel, gmtCreate: made.createdAt });
    return made;
  });
}

/** A chosen name needs a list read now: a voice that was there before must not be mistaken for ours. */
function voicesNamed(
  { preferredName, targetModel }: VoiceRequest,
  generated: boolean,
  account: Account,
): Promise<ListedVoice[]> {
  return generated
    ? account.named(preferredName, targetModel)
    : account.namedNow({ preferredName, targetModel, generated });
}

/** Looks for the voice of a create that an interrupted run sent, until it can't appear any more. */
async function awaitUnfinished(
  request: VoiceRequest,
  known: ListedVoice[],
  using: CreateOnceDependencies,
): Promise<ListedVoice | undefined> {
  const untilMs = await using.unfinishedUntilMs(known);
  if (untilMs === undefined) return using.resolveReplaced(known);
  const leftMs = untilMs - using.clock.now();
  // Even when the time is over: the list that the operation read first may be older than the voice.
  for (const waitMs of [0, ...lookWaitsMs(leftMs)]) {
    await using.clock.sleep(waitMs);
    const appeared = await appearedSince(known, request, true, using.account);
    const found = appeared.length > 0 ? await using.resolve(appeared) : undefined;
    if (found) return found;
  }
  return using.resolveReplaced(await using.account.named(request.preferredName, request.targetModel));
}

/** Sends the create until its outcome is known. After each lost response the list shows whether the voice exists. */
async function create(
  request: VoiceRequest,
  generated: boolean,
  known: ListedVoice[],
  using: CreateOnceDependencies,
): Promise<MadeVoice> {
  for (let attempt = 0; ; attempt++) {
    try {
      return { ...(await using.client.create(request, using.beforeSend)), reused: false };
    } catch (error) {
      const after = afterFailedCreate(error);
      if (after === undefined) throw error;
      const found = await lookFor(request, generated, known, after.lost, using);
      if (found) {
        using.log(
          `the response to creating ${request.preferredName} was lost, but the voice exists: ${found.voice}, ` +
            "paid once (whether it is degraded is not known)",
        );
        return reuse(found);
      }
      if (after.mayResend) await using.onNotDone();
      if (!after.mayResend || attempt >= using.maxRetries) throw error;
    }
  }
}

/** Looks into the account's list for the voice of a create whose response was lost. */
async function lookFor(
  request: VoiceRequest,
  generated: boolean,
  known: ListedVoice[],
  lost: CloudVoiceError,
  { account, clock, settleMs, existedBefore, log }: CreateOnceDependencies,
): Promise<ListedVoice | undefined> {
  const { preferredName } = request;
  for (const [look, waitMs] of lookWaitsMs(settleMs).entries()) {
    if (look === 3) {
      log(
        `the response to creating ${preferredName} was lost (${lost.reason}). Its voice may appear in the account's list late, ` +
          `so it is looked for during ${settleMs / 1000} s before the create is sent again`,
      );
    }
    await clock.sleep(waitMs);
    const appeared = await appearedSince(known, request, generated, account).catch((error: unknown) => {
      throw lost.amend({ advice: `Its voice could not be looked for: ${describeThrown(error).message}` });
    });
    // The list may also show a voice late that a resource has held for a moment, or still show a deleted one.
    const made: ListedVoice[] = [];
    for (const row of appeared) if (!(await existedBefore(row.voice))) made.push(row);
    if (made.length > 1 && !generated) throw new AmbiguousVoiceError(preferredName, made, lost);
    if (made.length > 0) return youngest(made);
  }
  return undefined;
}

async function appearedSince(
  known: ListedVoice[],
  { preferredName, targetModel }: VoiceRequest,
  generated: boolean,
  account: Account,
): Promise<ListedVoice[]> {
  const before = new Set(known.map((row) => row.voice));
  const named = await account.namedNow({ preferredName, targetModel, generated });
  return named.filter((row) => !before.has(row.voice));
}

class AmbiguousVoiceError extends CloudVoiceError {
  constructor(preferredName: string, appeared: ListedVoice[], lost: CloudVoiceError) {
    const voices = appeared.map((row) => row.voice).join(", ");
    super(`the response to creating ${preferredName} was lost, and more than one new voice has that name: ${voices}`, {
      advice: "Set adopt to the one that is yours, or leave preferredName out.",
      billed: "unknown",
      cause: lost,
    });
  }
}

function youngest(rows: ListedVoice[]): ListedVoice | undefined {
  return [...rows].sort((a, b) => (b.gmtCreate ?? "").localeCompare(a.gmtCreate ?? ""))[0];
}

function reuse(row: ListedVoice): MadeVoice {
  const { voice, targetModel } = row;
  return { voice, targetModel, createdAt: row.gmtCreate, degraded: false, reused: true };
}
