/** A stream of numbers that one seed decides (sfc32, after splitmix32 of the seed). */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  constructor(seed: number) {
    let state = seed >>> 0;
    const next = () => {
      state = (state + 0x9e3779b9) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
      mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
      return (mixed ^ (mixed >>> 16)) >>> 0;
    };
    [this.a, this.b, this.c] = [next(), next(), next()];
    for (let i = 0; i < 12; i += 1) this.bits();
  }

  /** 32 random bits. */
  bits(): number {
    const sum = (this.a + this.b + this.counter) >>> 0;
    this.counter = (this.counter + 1) >>> 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) >>> 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) >>> 0;
    this.c = (this.c + sum) >>> 0;
    return sum;
  }

  /** From 0 to `end`, without `end`. */
  below(end: number): number {
    return Math.floor((this.bits() / 0x1_0000_0000) * end);
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(values: readonly T[]): T {
    if (values.length === 0) throw new Error('There is nothing to pick from.');
    return values[this.below(values.length)]!;
  }

  /** One of the values, or undefined if there are none. */
  maybe<T>(values: readonly T[]): T | undefined {
    return values.length === 0 ? undefined : this.pick(values);
  }

  /** Of values with weights. */
  weighted<T extends { readonly weight: number }>(values: readonly T[]): T {
    let left = this.below(values.reduce((sum, { weight }) => sum + weight, 0));
    return values.find(({ weight }) => (left -= weight) < 0)!;
  }
}
