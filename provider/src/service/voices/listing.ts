import { nameInVoice, voiceCarriesName } from "../../decide/naming";
import type { ListedVoice } from "./client";

/** Listed voices, found by name: a thousand resources must not each look through a thousand rows. */
export class Listing {
  private readonly rows = new Map<string, ListedVoice>();
  private readonly byName = new Map<string, Set<string>>();

  constructor(rows: Iterable<ListedVoice>) {
    for (const row of rows) this.add(row);
  }

  /** A row that is there already stays: the service knows more of it. */
  add(row: ListedVoice): void {
    if (this.rows.has(row.voice)) return;
    this.rows.set(row.voice, row);
    const name = nameInVoice(row.voice) ?? "";
    const others = this.byName.get(name);
    if (others) others.add(row.voice);
    else this.byName.set(name, new Set([row.voice]));
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
  named(preferredName: string, targetModel: string): ListedVoice[] {
    return [...(this.byName.get(preferredName) ?? [])].flatMap((voice) => {
      const row = this.rows.get(voice);
      return row?.targetModel === targetModel && voiceCarriesName(voice, preferredName) ? [row] : [];
    });
  }
}
