import pLimit, { type LimitFunction } from "p-limit";
import { oncePer } from "../../once";

/**
 * The voices that this operation gave to resources of the program, and those that it deleted. A voice may have several
 * holders: any number of resources may adopt it, and two copies of one resource may have it.
 */
export class Given {
  private readonly holders = new Map<string, Set<string>>();
  /** The deletes of voices: under way, done, or, if undefined, failed. No resource is given such a voice. */
  private readonly deletes = new Map<string, Promise<void> | undefined>();
  private readonly turnsOf = oncePer<string, LimitFunction>(() => pLimit(1));

  /**
   * Runs the creates of one name one after the other. Otherwise, after a lost response, the voice of the next create
   * could be mistaken for the lost one.
   */
  inTurn<T>(name: string, create: () => Promise<T>): Promise<T> {
    return this.turnsOf(name)(create);
  }

  /**
   * Gives the resource with this label the first of these voices that no other resource has, and whose delete was not
   * begun.
   */
  claimFirst<T extends { voice: string }>(voices: readonly T[], label: string): T | undefined {
    const row = voices.find(({ voice }) => this.isFreeFor(voice, label));
    if (row !== undefined) this.add(row.voice, label);
    return row;
  }

  isFreeFor(voice: string, label: string): boolean {
    return !this.deletes.has(voice) && [...this.holdersOf(voice)].every((holder) => holder === label);
  }

  add(voice: string, label: string): void {
    this.holders.set(voice, this.holdersOf(voice).add(label));
  }

  /** Takes back a claim: the resource will be replaced, or its create did not use the voice. */
  release(voice: string, label: string): void {
    this.holdersOf(voice).delete(label);
  }

  /** Whether a resource of the program has the voice. */
  isUsed(voice: string): boolean {
    return this.holdersOf(voice).size > 0;
  }

  /**
   * Deletes the voice once. A second call, e.g. for another copy of the resource, has the outcome of the first. After a
   * failure, the next call deletes again.
   */
  deleteOnce(voice: string, remove: () => Promise<void>): Promise<void> {
    const underway = this.deletes.get(voice);
    if (underway !== undefined) return underway;
    const removal = remove().catch((error: unknown) => {
      this.deletes.set(voice, undefined);
      throw error;
    });
    this.deletes.set(voice, removal);
    return removal;
  }

  private holdersOf(voice: string): Set<string> {
    return this.holders.get(voice) ?? new Set();
  }
}
