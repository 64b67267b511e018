import { looksGenerated, hashIn, nameOfVoice } from "../../rules/naming";
import { type CheckedVoice, hasGeneratedName } from "../../rules/voice";
import type { VoiceNote } from "./note";
import type { Journal } from "./journal";

interface NotesParts {
  journal: Pick<Journal, "find" | "write" | "remove" | "keyOf">;
  /** The fingerprint of the account. */
  account: () => string;
  /** The hashes in the names of pending creates of a killed run, from the state, which has no times. */
  pending: ReadonlySet<string>;
  /** When the operation began. */
  startedAtMs: number;
}

/** The fields that say under which name the note of a create is kept. A state has them too. */
type NameFacts = Partial<Pick<CheckedVoice, "nameVersion" | "noteName" | "preferredName">>;

/**
 * The notes of this stack's creates: one for each generated name, whose hash stands for a resource and its content. A
 * note stays until its voice is gone. A note that another API key sealed counts as none.
 */
export class VoiceNotes {
  constructor(private readonly parts: NotesParts) {}

  /** The key of the note about this create. Undefined if no name could be generated for it: then it has no note. */
  key(inputs: NameFacts): string | undefined {
    const name = nameOfCreate(inputs);
    return name && this.keyOf(name);
  }

  /** The note of this create. */
  async of(inputs: NameFacts): Promise<VoiceNote | undefined> {
    return this.find(nameOfCreate(inputs));
  }

  /** Records that this resource's create uses the voice, which its own earlier request made, or a person gave to it. */
  async use(inputs: NameFacts, id: string, label: string, earlier?: VoiceNote): Promise<void> {
    const { journal, startedAtMs } = this.parts;
    const key = this.key(inputs);
    if (key === undefined) return;
    const note = earlier ?? { sentAtMs: startedAtMs, before: [] };
    await journal.write(key, { ...note, label, id, isLeaving: undefined, isHeld: undefined });
  }

  /** Records that the program gives the voice to this resource. Removes a note of another, e.g. renamed, resource. */
  async give(voice: string, state: NameFacts, label: string): Promise<void> {
    const entry = await this.ofVoice(voice, state);
    if (entry !== undefined && entry.note.label !== label) await this.parts.journal.remove(entry.key);
    else await this.hold(voice, state, label);
  }

  /** Records that a state of the resource has the voice. */
  async hold(voice: string, state: NameFacts, label: string): Promise<void> {
    const entry = await this.ofVoice(voice, state);
    if (entry?.note.label === label && !entry.note.isHeld)
      await this.parts.journal.write(entry.key, { ...entry.note, isHeld: true });
  }

  /** Records that a delete of the voice begins: from then on, a late list may show the voice although it is gone. */
  async markLeaving(voice: string, state: NameFacts): Promise<void> {
    const entry = await this.ofVoice(voice, state);
    if (entry !== undefined) await this.parts.journal.write(entry.key, { ...entry.note, isLeaving: true });
  }

  /** Removes the note of the voice. */
  async removeOf(voice: string, state: NameFacts): Promise<void> {
    const entry = await this.ofVoice(voice, state);
    if (entry !== undefined) await this.parts.journal.remove(entry.key);
  }

  /** The note with the id of this voice. A note without an id is left to the create that will use the voice. */
  private async ofVoice(voice: string, state: NameFacts): Promise<{ key: string; note: VoiceNote } | undefined> {
    const name = nameOfVoiceNote(voice, state);
    const note = await this.find(name);
    return name !== undefined && note?.id === voice ? { key: this.keyOf(name), note } : undefined;
  }

  private keyOf(name: string): string {
    const { journal, account } = this.parts;
    return journal.keyOf("voice", account(), hashIn(name));
  }

  private async find(name: string | undefined): Promise<VoiceNote | undefined> {
    if (name === undefined) return undefined;
    const note = await this.parts.journal.find(this.keyOf(name));
    if (note !== undefined && !note.unproven && note.label !== undefined) return note as VoiceNote;
    const { pending, startedAtMs } = this.parts;
    return pending.has(hashIn(name)) ? { sentAtMs: startedAtMs, label: "", before: [] } : undefined;
  }
}

/** The generated name under which the note of a create is kept. Undefined if it could not be generated. */
function nameOfCreate(inputs: NameFacts): string | undefined {
  return hasGeneratedName(inputs) ? inputs.preferredName : inputs.noteName;
}

/** The generated name under which the note of a voice is kept: the one in its id, or that of its resource's create. */
function nameOfVoiceNote(voice: string, state: NameFacts): string | undefined {
  const name = nameOfVoice(voice);
  return looksGenerated(name) ? name : nameOfCreate(state);
}
