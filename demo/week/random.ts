/** Chance that is the same on every run. */
export class Chance {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** At least 0, less than 1: mulberry32, 32 bits of state. */
  number(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.number() * (most - least + 1));
  }

  happens(probability: number): boolean {
    return this.number() < probability;
  }

  one<T>(values: readonly T[]): T {
    return values[this.whole(0, values.length - 1)]!;
  }

  /** One of them, as often as its weight says. */
  weighted<T extends { readonly weight: number }>(values: readonly T[]): T {
    let left = this.number() * values.reduce((sum, { weight }) => sum + weight, 0);
    for (const value of values) {
      left -= value.weight;
      if (left < 0) return value;
    }
    return values.at(-1)!;
  }

  /** `length` characters of the alphabet. */
  text(alphabet: string, length: number): string {
    return Array.from({ length }, () => alphabet[this.whole(0, alphabet.length - 1)]!).join('');
  }

  /** The same values in another order. */
  shuffled<T>(values: readonly T[]): T[] {
    const cards = [...values];
    for (let i = cards.length - 1; i > 0; i -= 1) {
      const j = this.whole(0, i);
      [cards[i], cards[j]] = [cards[j]!, cards[i]!];
    }
    return cards;
  }
}
