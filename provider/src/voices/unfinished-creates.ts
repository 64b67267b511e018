import type { UnfinishedCreate } from "./judge/create";
import { hashIn } from "../rules/naming";
import { hasGeneratedName } from "../rules/voice";
import type { Journal } from "../service/journal/journal";
import type { States } from "../stacks/states";

interface Named {
  targetModel: string;
  preferredName: string;
  nameVersion?: number | undefined;
}

/** Finds the creates of voices that earlier runs of a stack left unfinished: for the provider and for a review. */
export class UnfinishedCreates {
  private readonly settled = new Set<string>();

  constructor(
    private readonly parts: {
      journal: Pick<Journal, "find" | "keyOf">;
      states: Pick<States, "backend" | "place" | "isOneOfSeveral" | "hasSaved" | "interruptedCreates" | "isOwnKnown">;
      /** The fingerprint of the account. */
      fingerprint: () => string;
      startedAtMs: number;
    },
  ) {}

  /**
   * The key of the journal's note about the create of this voice. Undefined for a chosen name: it identifies nothing.
   */
  async noteKey(inputs: Named, stack: string): Promise<string | undefined> {
    if (!hasGeneratedName(inputs)) return undefined;
    const { targetModel, preferredName } = inputs;
    const { journal, states, fingerprint } = this.parts;
    return journal.keyOf("voice", fingerprint(), targetModel, hashIn(preferredName), await states.place(stack));
  }

  /** Records that this operation knows the outcome of the create, so that it is not looked for again. */
  settle({ preferredName, targetModel }: Named): void {
    this.settled.add(`${hashIn(preferredName)} ${targetModel}`);
  }

  private async isNoteOurs(): Promise<boolean> {
    const { states } = this.parts;
    return (await states.backend()) !== undefined && !(await states.isOneOfSeveral());
  }

  /**
   * The create of this voice by an earlier run of this stack. Workaround: the engine saves no time with a pending
   * operation, so the create counts as sent at the start of this operation.
   */
  async find(inputs: Named, stack: string): Promise<UnfinishedCreate | undefined> {
    const { journal, states, startedAtMs } = this.parts;
    const key = await this.noteKey(inputs, stack);
    if (key === undefined || this.settled.has(`${hashIn(inputs.preferredName)} ${inputs.targetModel}`))
      return undefined;
    const note = await journal.find(key);
    if (note !== undefined && !note.unproven) {
      const { id: voice, sentAtMs: sinceMs, answered: wasAnswered } = note;
      const wasSaved = voice !== undefined && (await states.hasSaved(voice));
      return wasSaved
        ? undefined
        : { from: "note", isOurs: !note.isShared && (await this.isNoteOurs()), sinceMs, voice, wasAnswered };
    }
    const hash = hashIn(inputs.preferredName);
    const isPending = (await states.interruptedCreates()).some(
      ({ preferredName }) => preferredName !== undefined && hashIn(preferredName) === hash,
    );
    if (isPending) return { from: "state", isOurs: await states.isOwnKnown(), sinceMs: startedAtMs };
    if (note === undefined || (note.id !== undefined && (await states.hasSaved(note.id)))) return undefined;
    return { from: "unproven note", isOurs: false, sinceMs: note.sentAtMs, voice: note.id };
  }
}
