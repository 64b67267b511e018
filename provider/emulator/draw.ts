/** Chooses values at random, from a seed. Without a seed it chooses the value `usual`, or else the first value. */
export class Draw {
  private readonly random: (() => number) | undefined;
  constructor(seed?: string) {
    this.random = seed === undefined ? undefined : seededRandom(hashOf(seed));
    // Skip the first number, because it is similar for neighbouring seeds.
    this.random?.();
  }
  chance = (probability: number, usual = false): boolean => (this.random ? this.random() < probability : usual);
  /** Chooses one of the values. There must be at least one. */
  pick = <const T>(values: readonly T[], usual = values[0]): T =>
    (this.random ? values[Math.floor(this.random() * values.length)] : usual) as T;
  word = () => this.pick(["zu", "ke", "mo", "ti", "ra", "lo"]) + this.pick(["vi", "na", "pe", "so", "bru", "fla"]);
}

/** Hashes a text to a whole number with FNV-1a, which is short and gives the same result on every machine. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  // The last characters change only the lower bits, so mix the bits.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** Returns a random number generator (Mulberry32). The generators of Node.js do not accept a seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
