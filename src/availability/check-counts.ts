import { londonDay } from '../platform/kernel/working-hours.js';
import type { Check } from './check.entity.js';
import { outcomeOf } from './check-day.entity.js';
import { hourOfNumber, type NumberRange } from './check-numbers.js';

/** Numbers without a gap, in a number of ranges. */
interface StoredSpan {
  readonly first: number;
  last: number;
  ranges: number;
}

/** Counts of stored checks by day in London, sector, client and outcome. */
export class CheckCounts {
  /** The numbers of the checks. */
  readonly spans: StoredSpan[] = [];
  /** By the values of the primary key of `check_days`. */
  private readonly counts = new Map<string, number>();

  get size(): number {
    return this.counts.size;
  }

  /** @param ranges of the numbers of the checks, each in one hour */
  add(checks: readonly Check[], ranges: readonly NumberRange[]): void {
    let at = 0;
    for (const range of ranges) {
      const [first, last] = range;
      const day = dayOf(first);
      for (const end = at + last - first + 1; at < end; at += 1) {
        const { clientId, postcode, productCount, staffId } = checks[at]!;
        const key = `${day},${postcode.slice(0, -2)},${clientId},${outcomeOf(productCount, staffId)}`;
        this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
      }
      this.addRange(range);
    }
  }

  includes(number: number): boolean {
    return this.spans.some(({ first, last }) => number >= first && number <= last);
  }

  /** In the order of the primary key, which halves the time to write them. */
  rows(): (readonly [...key: string[], checks: number])[] {
    const sorted = [...this.counts].sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([key, checks]) => [...key.split(','), checks]);
  }

  private addRange([first, last]: NumberRange): void {
    const span = this.spans.at(-1);
    if (span?.last === first - 1) {
      span.last = last;
      span.ranges += 1;
    } else this.spans.push({ first, last, ranges: 1 });
  }
}

/** The day in London of a check's number. */
export function dayOf(number: number): string {
  // London's days start at full hours of UTC.
  return londonDay(hourOfNumber(number));
}
