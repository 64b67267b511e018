import { hasGeneratedForm, hashIn, hashInVoice, nameMatch } from "../../rules/naming";
import type { ListedVoice } from "./client";

/**
 * Listed voices, indexed by generated name. Without the index, each of a thousand resources would search a thousand
 * rows.
 */
export class VoiceIndex {
  private readonly rows = new Map<string, ListedVoice>();
  private readonly byHash = new Map<string, ListedVoice[]>();

  constructor(rows: Iterable<ListedVoice>) {
    for (const row of rows) this.add(row);
  }

  add(row: ListedVoice): void {
    if (this.rows.has(row.voice)) return;
    this.rows.set(row.voice, row);
    const hash = hashInVoice(row.voice);
    const sameHash = this.byHash.get(hash);
    // An array takes a quarter of the memory of a set. An account may have a hundred thousand voices.
    if (sameHash) sameHash.push(row);
    else this.byHash.set(hash, [row]);
  }

  get voices(): readonly ListedVoice[] {
    return [...this.rows.values()];
  }

  get(voice: string): ListedVoice | undefined {
    return this.rows.get(voice);
  }

  /** The voices with this preferred name. */
  named(name: string): readonly ListedVoice[] {
    const rows = hasGeneratedForm(name) ? (this.byHash.get(hashIn(name)) ?? []) : this.voices;
    return rows.filter(({ voice }) => nameMatch(voice, name) === "yes");
  }

  /** The voices that may have this preferred name: their ids leave that open. */
  perhapsNamed(name: string): readonly ListedVoice[] {
    return hasGeneratedForm(name) ? [] : this.voices.filter(({ voice }) => nameMatch(voice, name) === "perhaps");
  }
}
