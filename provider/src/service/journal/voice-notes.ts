import { hasGeneratedForm, hashIn, nameOfVoice } from "../../rules/naming";
import type { VoiceNote } from "./note";
import type { Journal } from "./journal";

interface NotesParts {
  journal: Pick<Journal, "find" | "write" | "remove" | "keyOf">;
  /** The fingerprint of the account. */
  account: () => string;
  /** The hashes in the names of pending creates of a killed run, from the state, which has no times. */
  pending?: ReadonlySet<string>;
  startedAtMs?: number;
}

/**
 * The notes of this stack's creates: one for each generated name, whose hash stands for a resource and its content. A
 * note stays until its voice is gone. A note that another API key sealed counts as none.
 */
export class VoiceNotes {
  constructor(private readonly parts: NotesParts) {}

  key(name: string): string {
    const { journal, account } = this.parts;
    return journal.keyOf("voice", account(), hashIn(name));
  }

  async of(name: string | undefined): Promise<VoiceNote | undefined> {
    if (name === undefined) return undefined;
    const note = await this.parts.journal.find(this.key(name));
    if (note !== undefined && !note.unproven && note.label !== undefined) return note as VoiceNote;
    const { pending, startedAtMs = 0 } = this.parts;
    return pending?.has(hashIn(name)) ? { sentAtMs: startedAtMs, label: "", before: [] } : undefined;
  }

  async write(name: string, note: VoiceNote): Promise<void> {
    await this.parts.journal.write(this.key(name), note);
  }

  async remove(name: string): Promise<void> {
    await this.parts.journal.remove(this.key(name));
  }

  /** Removes the note if it is of this voice. */
  async removeOf(voice: string, name: string | undefined): Promise<void> {
    if (name !== undefined && (await this.of(name))?.id === voice) await this.remove(name);
  }

  /**
   * Records that a state of the resource has the voice. Leaves a note without an id to the create that will use the
   * voice.
   */
  async hold(voice: string, name: string | undefined, label: string): Promise<void> {
    const note = await this.of(name);
    if (name !== undefined && note?.id === voice && note.label === label && !note.isHeld)
      await this.write(name, { ...note, isHeld: true });
  }

  /** Records that the program gives the voice to this resource. Removes a note of another, e.g. renamed, resource. */
  async give(voice: string, name: string | undefined, label: string): Promise<void> {
    const note = await this.of(name);
    if (name !== undefined && note?.id === voice && note.label !== label) await this.remove(name);
    else await this.hold(voice, name, label);
  }
}

/** The name by which the note of a voice is kept: the generated name in its id, or that of the resource (`noteName`). */
export function noteNameOf(voice: string, { noteName }: { noteName?: string | undefined } = {}): string | undefined {
  const name = nameOfVoice(voice);
  return hasGeneratedForm(name) ? name : noteName;
}
