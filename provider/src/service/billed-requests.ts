import { CloudVoiceError } from "../errors";
import type { BilledKind, BilledLimit } from "../rules/billed-limit";
import type { Clock } from "./clock";
import type { Journal } from "./journal/journal";
import type { CreateFacts, JournalNote } from "./journal/note";

export interface BilledRequestsParts {
  /** Rejects after a cancel, and if the Pulumi engine has exited: nothing would save the result of the request. */
  assertMaySend: () => Promise<void>;
  /** Throws while a question of this run is open, because no further billed request must begin. */
  assertNoneOpen?: () => void;
  limit?: BilledLimit;
  /** Recognises the requests of a killed run. Absent for a function of a program, which has no state to resume from. */
  notes?: { journal: Journal; clock: Pick<Clock, "now"> };
}

/** Whether a billed request got a success response in which neither a result nor a refusal was recognised. */
export function isUnread(error: unknown): error is CloudVoiceError & { received?: unknown } {
  return CloudVoiceError.is(error) && error.billed !== "no" && (error.status ?? 0) >= 200 && (error.status ?? 0) < 300;
}

type Outcome = Omit<JournalNote, "sentAtMs" | "bytesUnderWay" | keyof CreateFacts>;

/**
 * A billed request under way. Only {@link BilledRequests} creates it. A client passes it to `sendRequest`, which says
 * when a request is sent, and when one may have been done although its response was lost.
 */
class Sending {
  /** When the last request was sent, with the bytes of all bodies under way then. */
  sent: Pick<JournalNote, "sentAtMs" | "bytesUnderWay"> | undefined;
  private isCounted = false;
  private keepsNote = false;

  constructor(
    private readonly parts: BilledRequestsParts,
    private readonly kind: BilledKind | undefined,
    private readonly key: string | undefined,
    private readonly facts: CreateFacts | undefined,
  ) {}

  /** Records that a request may have been done, so its note stays even if the next request is refused. */
  keepNote(): void {
    this.keepsNote = true;
  }

  /**
   * Called before each attempt to send the request. Rejects if the request must not be sent. `bytesUnderWay`: the bytes
   * of all bodies under way, because the request may take as long as all of them.
   */
  async beforeSend(bytesUnderWay = 0): Promise<void> {
    await this.parts.assertMaySend();
    if (this.sent === undefined) this.parts.assertNoneOpen?.();
    if (this.kind !== undefined && !this.isCounted) this.parts.limit?.count(this.kind);
    this.isCounted = true;
    const { notes } = this.parts;
    if (notes) this.sent = { sentAtMs: notes.clock.now(), ...(bytesUnderWay > 0 && { bytesUnderWay }) };
    await this.note({}, true);
  }

  /**
   * Writes the outcome to the request's note, or removes the note if there is no outcome. If this run has not sent the
   * request, the note stays unchanged, because an earlier run wrote it.
   */
  async note(outcome?: Outcome, isSynced = false): Promise<void> {
    const { key, sent } = this;
    const { notes } = this.parts;
    if (key === undefined || sent === undefined || notes === undefined) return;
    if (outcome === undefined && !this.keepsNote) return notes.journal.remove(key);
    await notes.journal.write(key, { ...sent, ...this.facts, ...(outcome ?? { gaveUp: true }) }, isSynced);
  }
}
export type { Sending };

/**
 * Sends every request that costs money. A request is sent only while the engine is alive, because only the engine can
 * save the result. A note about the request is in the journal from before it is sent until the state has the result, and
 * that of a voice until the voice is gone. With the note, the run after a kill does not pay again. A request without a
 * key gets no note, because a later run could not recognise it.
 */
export class BilledRequests {
  private readonly reserved = new Set<string>();

  constructor(private readonly parts: BilledRequestsParts) {}

  /** Counts the request that will follow for this resource. Rejects if it would be refused before it is sent. */
  async reserve(kind: BilledKind, label: string): Promise<void> {
    const { assertMaySend, assertNoneOpen, limit } = this.parts;
    await assertMaySend();
    assertNoneOpen?.();
    if (!this.reserved.has(label)) limit?.count(kind);
    this.reserved.add(label);
  }

  /**
   * Calls `work`, which may attempt the request several times. Without a `kind`, the limit does not count it. `facts`:
   * what the note of a voice says besides.
   */
  async send<T>(
    kind: BilledKind | undefined,
    key: string | undefined,
    work: (sending: Sending) => Promise<T>,
    outcomeOf: (result: T) => Outcome,
    facts?: CreateFacts,
  ): Promise<T> {
    const isReserved = facts !== undefined && this.reserved.delete(facts.label);
    const sending = new Sending(this.parts, isReserved ? undefined : kind, key, facts);
    try {
      const result = await work(sending);
      await sending.note(outcomeOf(result));
      return result;
    } catch (error) {
      const unknown: Outcome = isUnread(error) ? { gaveUp: true, isUnread: true } : { gaveUp: true };
      // A refused request created nothing, so its note is removed.
      if (CloudVoiceError.is(error)) await sending.note(error.billed === "no" ? undefined : unknown);
      throw error;
    }
  }
}
