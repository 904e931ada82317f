// Chance that can be repeated: the same seed gives the same numbers. TORTURE_SEED sets it; it is printed with every result.
export class Chance {
  readonly seed: number;
  #state: number;

  constructor(seed = Number(process.env.TORTURE_SEED ?? 20261) >>> 0) {
    this.seed = seed;
    this.#state = seed;
  }

  // From 0 to below 1 (mulberry32).
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }
  // A whole number from 0 to below `bound`.
  below(bound: number): number { return Math.floor(this.next() * bound); }
  of<T>(choices: readonly T[]): T { return choices[this.below(choices.length)]!; }
}
