import { createdAt } from "../../rules/time";
import { resolveExistingVoice } from "../../rules/existing-voice";
import { afterFailedCreate, type LostCreate } from "../../rules/lost-create";
import { describeThrown } from "../../describe-thrown";
import { CloudVoiceError, InputError } from "../../errors";
import type { Clock } from "../clock";
import type { Account } from "./account";
import type { CreatedVoice, ListedVoice, VoiceClient, VoiceRequest } from "./client";

/*
 * A create without an idempotency key, done exactly once.
 *
 * A generated name stands for one resource with one content (rules/naming.ts), so a voice of that name in the account is the
 * one we want: made by a run that was killed, or by this one when the answer was lost. An explicit name says nothing of the
 * kind, and only what appeared since we asked can be ours.
 */

export interface MadeVoice extends CreatedVoice {
  createdAt?: string | undefined;
  requestId?: string | undefined;
  /** Found in the account under its own name and not paid for again. */
  taken: boolean;
}

export interface OnceDependencies {
  client: Pick<VoiceClient, "create">;
  account: Account;
  clock: Clock;
  maxRetries: number;
  /** Asked before each payment: whether anybody will keep what is paid for. Rejects when not. */
  beforeSend: () => Promise<void>;
  /** One line for whoever reads the pipeline's log. */
  log: (line: string) => void;
}

/** Creates of one name wait for each other: an answer lost by one could otherwise be settled with the voice of the next. */
const underWay = new Map<string, Promise<unknown>>();

export function createVoiceOnce(
  request: VoiceRequest,
  generated: boolean,
  using: OnceDependencies,
): Promise<MadeVoice> {
  const before = underWay.get(request.preferredName) ?? Promise.resolve();
  const mine = before.catch(() => undefined).then(() => createOnce(request, generated, using));
  underWay.set(request.preferredName, mine);
  return mine;
}

async function createOnce(request: VoiceRequest, generated: boolean, using: OnceDependencies): Promise<MadeVoice> {
  const { account, client, clock, maxRetries, beforeSend, log: tell } = using;
  // A chosen name does not identify, so what is there before must be known as of now; what another resource holds is never ours.
  const known = generated
    ? await account.named(request.preferredName, request.targetModel)
    : await account.namedNow(request.preferredName, request.targetModel, false);
  const free = known.filter((row) => !account.isLive(row.voice));
  if (free.length > 0) {
    const verdict = resolveExistingVoice(request.preferredName, generated, free, clock.now());
    if (verdict.warn !== undefined) tell(verdict.warn);
    if (verdict.reject !== undefined) throw new InputError(verdict.reject);
    if (verdict.reuse) return taken(verdict.reuse, account);
  }

  const knownNames = new Set(known.map((row) => row.voice));
  for (let attempt = 0; ; attempt++) {
    try {
      const created = await client.create(request, beforeSend);
      const row = { voice: created.voice, targetModel: created.targetModel };
      account.noteMade(row);
      return { ...created, taken: false };
    } catch (error) {
      const after = afterFailedCreate(error);
      if (after === undefined) throw error;
      const found = await lookFor(request, generated, knownNames, after, using);
      if (found) {
        tell(
          `the answer to creating ${request.preferredName} was lost, but the voice is there: ${found.voice}, paid once (whether it is degraded is not known)`,
        );
        return taken(found, account);
      }
      if (!after.mayResend || attempt >= maxRetries) throw error;
    }
  }
}

/** What the account's list shows of a create whose answer was lost. */
async function lookFor(
  { preferredName, targetModel }: VoiceRequest,
  generated: boolean,
  knownNames: ReadonlySet<string>,
  { lost, looksAfterMs }: LostCreate,
  { account, clock }: OnceDependencies,
): Promise<ListedVoice | undefined> {
  for (const waitMs of looksAfterMs) {
    await clock.sleep(waitMs);
    const named = await account.namedNow(preferredName, targetModel, generated).catch((error: unknown) => {
      throw lost.amend({ advice: `Its voice could not be looked for: ${describeThrown(error).message}` });
    });
    const appeared = named.filter((row) => !knownNames.has(row.voice));
    if (appeared.length > 1 && !generated) {
      throw new CloudVoiceError(
        `the answer to creating ${preferredName} was lost, and more than one new voice bears that name: ` +
          `${appeared.map((row) => row.voice).join(", ")}. Set adopt to the one that is yours, or leave preferredName out`,
        { billed: "unknown", cause: lost },
      );
    }
    if (appeared.length > 0) return youngest(appeared);
  }
  return undefined;
}

function youngest(rows: ListedVoice[]): ListedVoice | undefined {
  return [...rows].sort((a, b) => (b.gmtCreate ?? "").localeCompare(a.gmtCreate ?? ""))[0];
}

function taken(row: ListedVoice, account: Account): MadeVoice {
  account.noteMade(row);
  return {
    voice: row.voice,
    targetModel: row.targetModel,
    createdAt: createdAt(row.gmtCreate),
    degraded: false,
    taken: true,
  };
}
