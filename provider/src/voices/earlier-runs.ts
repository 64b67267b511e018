import { hashIn } from "../rules/naming";
import { type CheckedVoice, hasGeneratedName } from "../rules/voice";
import type { Journal, JournalNote } from "../service/journal/journal";
import type { States } from "../stacks/states";

/**
 * A billed request of an earlier run whose result is in no state yet: a voice, an image task or a decision. It is
 * recorded in a note of the journal, or as a pending operation of a state.
 */
export interface LeftRequest {
  /**
   * The known outcome of the request.
   * - `made`: the service returned the `id`.
   * - `answered`: the service reported success, and its response was not understood. The request was probably billed.
   * - `lost`: the run noted that it got no usable response. No other outcome will be noted.
   * - `sent`: no outcome is noted.
   * - `pending`: only a pending operation of a state shows the request. It has no time.
   * - `unproven`: the note can't be read or is not sealed with this key. It proves nothing, not even that a request was
   *   sent.
   */
  end: "made" | "answered" | "lost" | "sent" | "pending" | "unproven";
  /** When the request was sent, or else the latest possible time. */
  sentMs: number;
  /** The bytes of all bodies that were under way then. The request may have taken as long as all of them. */
  bytesUnderWay?: number | undefined;
  /**
   * Whether this stack certainly sent the request, so that the request counts as evidence. False if the backend is
   * unknown. False too if several stacks may belong to the operation that wrote the note, or to this operation.
   */
  isOurs: boolean;
  /** The id of what the service made, if the note has the id. Such a note is no evidence about any other voice. */
  id?: string | undefined;
  /** The answers to a decision. */
  result?: string | undefined;
}

export function leftIn(note: JournalNote): LeftRequest {
  const { sentAtMs: sentMs, bytesUnderWay, id, result, lost, answered, unproven, isShared } = note;
  const outcome = answered ? "answered" : id !== undefined ? "made" : lost ? "lost" : "sent";
  const end = unproven ? "unproven" : outcome;
  return { end, sentMs, bytesUnderWay, isOurs: !unproven && !isShared, id, result };
}

type Named = Pick<CheckedVoice, "targetModel" | "preferredName"> & { nameVersion?: number | undefined };

interface EarlierRunsParts {
  journal: Pick<Journal, "find" | "awaitOutcome" | "keyOf">;
  states: Pick<States, "backend" | "place" | "isOneOfSeveral" | "hasSaved" | "interruptedCreates" | "isOwnKnown">;
  fingerprint: () => string;
  startedAtMs: number;
}

/** Finds the billed requests that earlier runs of a stack left. Used by the provider and by a review. */
export class EarlierRuns {
  constructor(private readonly parts: EarlierRunsParts) {}

  /**
   * The request whose note has this key. Undefined if there is no note, or if the state has the result: then the new
   * request is intended, for example by `--replace`. Waits for an outcome that the process of a killed engine may still
   * note, until the request was certainly given up. `onWait` is called once before waiting, with the maximum wait.
   */
  async request(
    key: string,
    requestTimeoutMs: number,
    onWait: (leftMs: number) => void,
  ): Promise<LeftRequest | undefined> {
    const { journal, states } = this.parts;
    const left = await this.unsaved(await journal.awaitOutcome(key, requestTimeoutMs, onWait));
    return left && { ...left, isOurs: left.isOurs && !(await states.isOneOfSeveral()) };
  }

  /**
   * The unfinished create of this voice. Does not wait for the outcome, because the list shows a voice that was made.
   * Workaround: the engine saves no time with a pending operation, so the create counts as sent at the start of this
   * operation.
   */
  async create(inputs: Named, stack: string): Promise<LeftRequest | undefined> {
    const { journal, states, startedAtMs } = this.parts;
    const key = await this.noteKey(inputs, stack);
    if (key === undefined) return undefined;
    const note = await journal.find(key);
    const left = await this.unsaved(note);
    if (note !== undefined && !note.unproven) {
      const isThisStack = (await states.backend()) !== undefined && !(await states.isOneOfSeveral());
      return left && { ...left, isOurs: left.isOurs && isThisStack };
    }
    const hash = hashIn(inputs.preferredName);
    const isPending = (await states.interruptedCreates()).some(
      ({ preferredName }) => preferredName !== undefined && hashIn(preferredName) === hash,
    );
    return isPending ? { end: "pending", isOurs: await states.isOwnKnown(), sentMs: startedAtMs } : left;
  }

  /**
   * The key of the journal's note about the create of this voice. Undefined for a chosen name: two resources may have
   * the same chosen name.
   */
  async noteKey(inputs: Named, stack: string): Promise<string | undefined> {
    if (!hasGeneratedName(inputs)) return undefined;
    const { journal, states, fingerprint } = this.parts;
    const { targetModel, preferredName } = inputs;
    return journal.keyOf("voice", fingerprint(), targetModel, hashIn(preferredName), await states.place(stack));
  }

  private async unsaved(note: JournalNote | undefined): Promise<LeftRequest | undefined> {
    if (note === undefined || (note.id !== undefined && (await this.parts.states.hasSaved(note.id)))) return undefined;
    return leftIn(note);
  }
}
