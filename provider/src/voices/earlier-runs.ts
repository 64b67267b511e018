import { hashIn } from "../rules/naming";
import { hasGeneratedName } from "../rules/voice";
import type { Journal, JournalNote } from "../service/journal/journal";
import type { States } from "../stacks/states";

/**
 * A billed request of an earlier run whose result is in no state yet: a voice, an image task or a decision. Its record
 * is a note of the journal, or a pending operation of a state.
 */
export interface LeftRequest {
  /**
   * What is known of its end.
   * - `made`: the service returned the `id`.
   * - `answered`: with success, and the answer was not understood. It was probably billed.
   * - `lost`: its run ended without an outcome. No later one can come.
   * - `sent`: no outcome is noted.
   * - `pending`: only a state shows it, which has no time.
   * - `unproven`: the note can't be read or is not sealed with this key. It proves nothing, not even that it was sent.
   */
  end: "made" | "answered" | "lost" | "sent" | "pending" | "unproven";
  /** When it was sent. If that is not known, the latest possible time. */
  sentMs: number;
  /**
   * Whether this stack certainly sent it, so that it counts as evidence. It is uncertain if the backend is unknown, and
   * if several stacks may belong to the operation that wrote the note or to this one.
   */
  isOurs: boolean;
  /** What the service made, if the note names it. Then a voice of another name is not evidenced by it. */
  id?: string | undefined;
  /** The answers to a decision. */
  result?: string | undefined;
}

/** What a note says, whoever reads it: the one reader of its fields. */
export function leftIn({ sentAtMs: sentMs, id, result, lost, answered, unproven, isShared }: JournalNote): LeftRequest {
  const outcome = answered ? "answered" : id !== undefined ? "made" : lost ? "lost" : "sent";
  const end = unproven ? "unproven" : outcome;
  return { end, sentMs, isOurs: !unproven && !isShared, id, result };
}

interface Named {
  targetModel: string;
  preferredName: string;
  nameVersion?: number | undefined;
}

interface EarlierRunsParts {
  journal: Pick<Journal, "find" | "awaitOutcome" | "keyOf">;
  states: Pick<States, "backend" | "place" | "isOneOfSeveral" | "hasSaved" | "interruptedCreates" | "isOwnKnown">;
  /** The fingerprint of the account of voices. */
  fingerprint: () => string;
  startedAtMs: number;
}

/** What earlier runs of a stack left: for the provider and for a review. */
export class EarlierRuns {
  private readonly settled = new Set<string>();

  constructor(private readonly parts: EarlierRunsParts) {}

  /**
   * The request with this note. Undefined if there was none, or if the state has its result: then the request is sent
   * again on purpose, for example by `--replace`. Waits for an outcome that the process of a killed engine may still
   * note, until `timeoutMs` after the request. `onWait` is called once before waiting, with the maximum wait.
   */
  async request(key: string, timeoutMs: number, onWait: (leftMs: number) => void): Promise<LeftRequest | undefined> {
    const { journal, states } = this.parts;
    const left = await this.unsaved(await journal.awaitOutcome(key, timeoutMs, onWait));
    return left && { ...left, isOurs: left.isOurs && !(await states.isOneOfSeveral()) };
  }

  /**
   * The create of this voice. Does not wait: the list shows what it made. Workaround: the engine saves no time with a
   * pending operation, so the create counts as sent at the start of this operation.
   */
  async create(inputs: Named, stack: string): Promise<LeftRequest | undefined> {
    const { journal, states, startedAtMs } = this.parts;
    const key = await this.noteKey(inputs, stack);
    if (key === undefined || this.settled.has(nameKey(inputs))) return undefined;
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
   * The key of the journal's note about the create of this voice. Undefined for a chosen name: it identifies nothing.
   */
  async noteKey(inputs: Named, stack: string): Promise<string | undefined> {
    if (!hasGeneratedName(inputs)) return undefined;
    const { journal, states, fingerprint } = this.parts;
    const { targetModel, preferredName } = inputs;
    return journal.keyOf("voice", fingerprint(), targetModel, hashIn(preferredName), await states.place(stack));
  }

  /** Records that this operation knows the outcome of the create, so that it is not looked for again. */
  settle(inputs: Named): void {
    this.settled.add(nameKey(inputs));
  }

  private async unsaved(note: JournalNote | undefined): Promise<LeftRequest | undefined> {
    if (note === undefined || (note.id !== undefined && (await this.parts.states.hasSaved(note.id)))) return undefined;
    return leftIn(note);
  }
}

const nameKey = ({ preferredName, targetModel }: Named) => `${hashIn(preferredName)} ${targetModel}`;
