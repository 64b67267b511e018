import pLimit, { type LimitFunction } from "p-limit";
import { oncePer } from "../../once";

/**
 * The voices that this operation gave to resources of the program, and those that it deleted. A voice may have several
 * holders: any number of resources may adopt it, and two copies of one resource may have it.
 */
export class Given {
  private readonly holders = new Map<string, Set<string>>();
  private readonly deleted = new Set<string>();
  private readonly turnsOf = oncePer<string, LimitFunction>(() => pLimit(1));

  /**
   * Runs the creates of one name one after the other. Otherwise, after a lost response, the voice of the next create
   * could be mistaken for the lost one.
   */
  inTurn<T>(name: string, create: () => Promise<T>): Promise<T> {
    return this.turnsOf(name)(create);
  }

  /** Gives the resource with this label the first of these voices that no other resource has and that was not deleted. */
  claimFirst<T extends { voice: string }>(voices: readonly T[], label: string): T | undefined {
    const row = voices.find(({ voice }) => this.isFree(voice, label));
    if (row !== undefined) this.add(row.voice, label);
    return row;
  }

  isFree(voice: string, label: string): boolean {
    return !this.deleted.has(voice) && [...this.holdersOf(voice)].every((holder) => holder === label);
  }

  add(voice: string, label: string): void {
    this.holders.set(voice, this.holdersOf(voice).add(label));
  }

  /** Takes back a claim: the resource will be replaced, or its create did not use the voice. */
  release(voice: string, label: string): void {
    this.holdersOf(voice).delete(label);
  }

  /** Claims the voice for its delete. False if a resource has the voice, or if another call deletes it. */
  claimDelete(voice: string): boolean {
    if (this.holdersOf(voice).size > 0 || this.deleted.has(voice)) return false;
    this.deleted.add(voice);
    return true;
  }

  private holdersOf(voice: string): Set<string> {
    return this.holders.get(voice) ?? new Set();
  }
}
