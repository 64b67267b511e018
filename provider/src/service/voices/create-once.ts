import { describeThrown } from "../../describe-thrown";
import { CloudVoiceError, InputError } from "../../errors";
import { resolveExistingVoice } from "../../rules/existing-voice";
import { afterFailedCreate, type LostCreate } from "../../rules/lost-create";
import { createdAt } from "../../rules/time";
import type { Clock } from "../clock";
import type { KeyedQueue } from "../keyed-queue";
import type { Account } from "./account";
import type { CreatedVoice, ListedVoice, VoiceClient, VoiceRequest } from "./client";

/*
 * Creates a voice exactly once, although the interface has no idempotency key.
 *
 * A generated name identifies one resource with one content (rules/naming.ts), so a voice of that name in the account
 * is the one we want: created by a run that was killed, or by this one when the response was lost. A chosen name
 * identifies nothing, so only a voice that appeared since the create was sent can be ours.
 */

export interface MadeVoice extends CreatedVoice {
  createdAt?: string | undefined;
  requestId?: string | undefined;
  /** Whether the voice was found under its own name and not paid for again. */
  reused: boolean;
}

export interface VoiceOwnership {
  /** Whether a resource holds the voice, so that no other may reuse it. */
  isHeld(voice: string): boolean;
  /** Records that the resource of this create holds the voice from now on. */
  claim(voice: string): void;
}

export interface CreateOnceDependencies {
  client: Pick<VoiceClient, "create">;
  account: Account;
  clock: Clock;
  maxRetries: number;
  /**
   * Creates of one name run in order: otherwise a lost response could be resolved with the voice of the next create.
   */
  queue: KeyedQueue;
  ownership: VoiceOwnership;
  /** Called before each billed request. Rejects if no one would save the result. */
  beforeSend: () => Promise<void>;
  log: (line: string) => void;
}

export async function createVoiceOnce(
  request: VoiceRequest,
  generated: boolean,
  using: CreateOnceDependencies,
): Promise<MadeVoice> {
  return using.queue.run(request.preferredName, async () => {
    const named = await voicesNamed(request, generated, using.account);
    const existing = reusableVoice(request, generated, named, using);
    const made = existing
      ? reuse(existing)
      : await create(request, generated, new Set(named.map((row) => row.voice)), using);
    using.ownership.claim(made.voice);
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
  return generated ? account.named(preferredName, targetModel) : account.namedNow(preferredName, targetModel, false);
}

function reusableVoice(
  { preferredName }: VoiceRequest,
  generated: boolean,
  named: ListedVoice[],
  { clock, ownership, log }: CreateOnceDependencies,
): ListedVoice | undefined {
  const free = named.filter((row) => !ownership.isHeld(row.voice));
  const { reuse, warn, reject } = resolveExistingVoice(preferredName, generated, free, clock.now());
  if (warn !== undefined) log(warn);
  if (reject !== undefined) throw new InputError(reject);
  return reuse;
}

/** Sends the create until its outcome is known. After each lost response the list shows whether the voice exists. */
async function create(
  request: VoiceRequest,
  generated: boolean,
  existing: ReadonlySet<string>,
  using: CreateOnceDependencies,
): Promise<MadeVoice> {
  for (let attempt = 0; ; attempt++) {
    try {
      return { ...(await using.client.create(request, using.beforeSend)), reused: false };
    } catch (error) {
      const after = afterFailedCreate(error);
      if (after === undefined) throw error;
      const found = await lookFor(request, generated, existing, after, using);
      if (found) {
        using.log(
          `the response to creating ${request.preferredName} was lost, but the voice exists: ${found.voice}, ` +
            "paid once (whether it is degraded is not known)",
        );
        return reuse(found);
      }
      if (!after.mayResend || attempt >= using.maxRetries) throw error;
    }
  }
}

/** Looks into the account's list for the voice of a create whose response was lost. */
async function lookFor(
  { preferredName, targetModel }: VoiceRequest,
  generated: boolean,
  existing: ReadonlySet<string>,
  { lost, looksAfterMs }: LostCreate,
  { account, clock }: CreateOnceDependencies,
): Promise<ListedVoice | undefined> {
  for (const waitMs of looksAfterMs) {
    await clock.sleep(waitMs);
    const named = await account.namedNow(preferredName, targetModel, generated).catch((error: unknown) => {
      throw lost.amend({ advice: `Its voice could not be looked for: ${describeThrown(error).message}` });
    });
    const appeared = named.filter((row) => !existing.has(row.voice));
    if (appeared.length > 1 && !generated) throw new AmbiguousVoiceError(preferredName, appeared, lost);
    if (appeared.length > 0) return youngest(appeared);
  }
  return undefined;
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
  return { voice, targetModel, createdAt: createdAt(row.gmtCreate), degraded: false, reused: true };
}
