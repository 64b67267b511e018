import { createHash } from "node:crypto";
import { CloudVoiceError } from "../errors";
import type { BilledKind, BilledLimit } from "../rules/billed-limit";
import type { Clock } from "./clock";
import type { Journal, JournalNote } from "./journal/journal";

export interface BilledRequestsParts {
  /** Rejects once the engine has exited: nothing would save the result. */
  assertEngineAlive: () => Promise<void>;
  /** Throws while no further billed request may begin. */
  assertMayBegin?: () => void;
  /** The limit of a resource's billed requests. */
  limit?: BilledLimit;
  /**
   * Needed to recognise the requests of a killed run. Absent for a function of a program, which has nothing to resume.
   */
  notes?: {
    journal: Journal;
    clock: Pick<Clock, "now">;
    /** Whether another stack may mistake the notes of this stack for its own. */
    isShared: () => Promise<boolean>;
  };
}

/**
 * Whether a billed request was answered with success, and neither a result nor a refusal was understood in the
 * response.
 */
export function isUnread(error: unknown): error is CloudVoiceError & { received?: unknown } {
  return CloudVoiceError.is(error) && error.billed !== "no" && (error.status ?? 0) >= 200 && (error.status ?? 0) < 300;
}

const unreadMark = "unread-"; // @persisted

/** Whether a resource has no id of the service, because the response to its request was not understood. */
export const isUnreadId = (id: string) => id.startsWith(unreadMark);

/** An id with {@link unreadMark}. `key`: of the note about the request. After a kill, the request id is unknown. */
export function unreadIdOf(key: string, { requestId = "" }: Pick<CloudVoiceError, "requestId"> = {}): string {
  return `${unreadMark}${createHash("sha256")
    .update(JSON.stringify([key, requestId]))
    .digest("hex")
    .slice(0, 12)}`;
}

/** The outcome of the request, for the next run. */
type Outcome = Omit<JournalNote, "sentAtMs">;

/**
 * A billed request under way. Clients can't send a billed request without it. Only {@link BilledRequests} creates it.
 */
class Sending {
  private sentAtMs: number | undefined;
  private isCounted = false;

  constructor(
    private readonly parts: BilledRequestsParts,
    private readonly kind: BilledKind | undefined,
    private readonly key: string | undefined,
  ) {}

  /** Called before each attempt. Rejects if the request must not be sent. */
  async beforeSend(): Promise<void> {
    await this.parts.assertEngineAlive();
    if (this.sentAtMs === undefined) this.parts.assertMayBegin?.();
    if (this.kind !== undefined && !this.isCounted) this.parts.limit?.count(this.kind);
    this.isCounted = true;
    this.sentAtMs = this.parts.notes?.clock.now();
    await this.note({}, true);
  }

  /** If this run sent nothing, keep the note: an earlier run wrote it. */
  async note(outcome?: Outcome, isSynced = false): Promise<void> {
    const { key, sentAtMs } = this;
    const { notes } = this.parts;
    if (key === undefined || sentAtMs === undefined || notes === undefined) return;
    if (outcome === undefined) return notes.journal.remove(key);
    const shared = (await notes.isShared()) ? { isShared: true as const } : {};
    await notes.journal.write(key, { sentAtMs, ...outcome, ...shared }, isSynced);
  }

  /** Removes the note: the attempts so far have created nothing, or nothing that a later run could find. */
  readonly forget = () => this.note();
}
export type { Sending };

/**
 * Every request that costs money goes through here. It is sent only while the engine is alive, because the engine saves
 * the result. The journal has a note from before the request is sent until the state has its result, so that the run
 * after a kill does not pay again. A request without a key gets no note, because a later run can't recognise it.
 */
export class BilledRequests {
  constructor(private readonly parts: BilledRequestsParts) {}

  /** Sends the request. `work` may attempt it several times. Without a kind, no limit counts it. */
  async send<T>(
    kind: BilledKind | undefined,
    key: string | undefined,
    work: (sending: Sending) => Promise<T>,
    outcomeOf: (result: T) => Outcome,
  ): Promise<T> {
    const sending = new Sending(this.parts, kind, key);
    try {
      const result = await work(sending);
      await sending.note(outcomeOf(result));
      return result;
    } catch (error) {
      // Forget a refused request: it left nothing that a later run could find.
      if (CloudVoiceError.is(error)) {
        const outcome: Outcome = { lost: true };
        if (isUnread(error)) {
          outcome.answered = true;
          const { received } = error;
          if (received !== undefined) outcome.received = { kind: kind ?? "", json: received };
        }
        await (error.billed === "no" ? sending.forget() : sending.note(outcome));
      }
      throw error;
    }
  }

  /**
   * The object of this request was found without sending the request. Adds the object's id to the note of the earlier
   * run.
   */
  async foundInstead(key: string, id: string): Promise<void> {
    const journal = this.parts.notes?.journal;
    const note = await journal?.find(key);
    if (note !== undefined && !note.unproven) await journal?.write(key, { ...note, id });
  }
}
