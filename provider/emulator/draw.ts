import { hashOf, seededRandom } from "./faults";

/** Chooses by chance, from a seed. Without one it chooses what is usual: the first, unless another is named. */
export class Draw {
  private readonly random: (() => number) | undefined;
  constructor(seed?: string) {
    this.random = seed === undefined ? undefined : seededRandom(hashOf(seed));
    // The first numbers of neighbouring seeds are alike.
    this.random?.();
  }
  chance = (probability: number, usual = false): boolean => (this.random ? this.random() < probability : usual);
  /** No table is empty. */
  pick = <const T>(values: readonly T[], usual = values[0]): T =>
    (this.random ? values[Math.floor(this.random() * values.length)] : usual) as T;
  word = () => this.pick(["zu", "ke", "mo", "ti", "ra", "lo"]) + this.pick(["vi", "na", "pe", "so", "bru", "fla"]);
}
