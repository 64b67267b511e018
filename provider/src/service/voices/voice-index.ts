import { hashInVoice, voiceCarriesName } from "../../rules/naming";
import type { ListedVoice } from "./client";

/** Listed voices, found by generated name at once: a thousand resources must not each look through a thousand rows. */
export class VoiceIndex {
  private readonly rows = new Map<string, ListedVoice>();
  private readonly byHash = new Map<string, Set<string>>();

  constructor(rows: Iterable<ListedVoice>) {
    for (const row of rows) this.add(row);
  }

  /** A row that is there already stays: the service knows more of it. */
  add(row: ListedVoice): void {
    if (this.rows.has(row.voice)) return;
    this.rows.set(row.voice, row);
    const hash = hashInVoice(row.voice);
    const others = this.byHash.get(hash);
    if (others) others.add(row.voice);
    else this.byHash.set(hash, new Set([row.voice]));
  }

  remove(voice: string): void {
    this.rows.delete(voice);
  }

  all(): ListedVoice[] {
    return [...this.rows.values()];
  }

  get(voice: string): ListedVoice | undefined {
    return this.rows.get(voice);
  }

  /** Those created under this preferred name, for this model. */
  named(preferredName: string, targetModel: string, generated: boolean): ListedVoice[] {
    // Generated names end in their hash, as `hashInVoice` sees them.
    const candidates = generated ? (this.byHash.get(hashInVoice(`${preferredName}-voice-`)) ?? []) : this.rows.keys();
    return [...candidates].flatMap((voice) => {
      const row = this.rows.get(voice);
      return row?.targetModel === targetModel && voiceCarriesName(voice, preferredName, generated) ? [row] : [];
    });
  }
}
