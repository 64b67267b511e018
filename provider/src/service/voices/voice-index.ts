import { hashIn, hashInVoice, voiceCarriesName } from "../../rules/naming";
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

  /** Keeps an earlier row of the voice: a row of the service's list has more fields than one that this process adds. */
  add(row: ListedVoice): void {
    if (this.rows.has(row.voice)) return;
    this.rows.set(row.voice, row);
    const hash = hashInVoice(row.voice);
    const sameHash = this.byHash.get(hash);
    // An array takes a quarter of the memory of a set. An account may have a hundred thousand voices.
    if (sameHash) sameHash.push(row);
    else this.byHash.set(hash, [row]);
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

  named(preferredName: string, targetModel: string): ListedVoice[] {
    return (this.byHash.get(hashIn(preferredName)) ?? []).filter(
      (row) =>
        this.rows.get(row.voice) === row &&
        row.targetModel === targetModel &&
        voiceCarriesName(row.voice, preferredName, true),
    );
  }
}
