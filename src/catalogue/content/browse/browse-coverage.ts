import { type PostcodePlace, printPlace } from '../../../platform/kernel/postcode.js';
import { LEVELS } from '../coverage-codec.js';
import { type CoverageIndex, type CoverageRow, keyAt, UNITS_IN } from '../coverage-index.js';

/** A place that contains another, and whether its row applies there. */
export interface PlaceAround extends Omit<CoverageRow, 'zone'> {
  /** `-` excludes; null if it has no row. */
  readonly zone: string | null;
  readonly applies: boolean;
}

/** The place and those around it, from the smallest to the largest: the first with a row applies. */
export function placesAround(index: CoverageIndex, place: PostcodePlace): PlaceAround[] {
  const packed = place.key * UNITS_IN[place.level];
  let hasRow = false;
  const levels = LEVELS.slice(LEVELS.indexOf(place.level));
  return levels.flatMap((level) => {
    const key = keyAt[level](packed);
    // A district without subdistricts has the key of its outward code.
    if (level === 'subdistrict' && key === keyAt.district(packed)) return [];
    const zone = index.rowOf(level, key)?.zone ?? null;
    const applies = zone !== null && !hasRow;
    hasRow ||= applies;
    return [{ level, place: printPlace(level, key), zone, applies }];
  });
}

/** Positions of rows within a place at one level. */
interface RowRange {
  readonly level: CoverageRow['level'];
  readonly from: number;
  readonly to: number;
}

/** The rows inside a place and its own, or all, from areas to units. */
export class RowsWithin {
  private readonly ranges: readonly RowRange[];

  /** @param place null for everything */
  constructor(
    private readonly index: CoverageIndex,
    place: PostcodePlace | null,
  ) {
    const levels = place ? LEVELS.slice(0, LEVELS.indexOf(place.level) + 1) : LEVELS;
    this.ranges = levels.toReversed().map((level) => {
      const { keys } = index.coverage.levels[level];
      if (!place) return { level, from: 0, to: keys.length };
      const isInside = (key: number) =>
        Math.sign(keyAt[place.level](key * UNITS_IN[level]) - place.key);
      return {
        level,
        from: firstWhere(keys, (key) => isInside(key) >= 0),
        to: firstWhere(keys, (key) => isInside(key) > 0),
      };
    });
  }

  get count(): number {
    return this.ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  /** Rows from one position up to another. */
  slice(start: number, end: number): CoverageRow[] {
    const rows: CoverageRow[] = [];
    let before = 0;
    for (const { level, from, to } of this.ranges) {
      const { keys } = this.index.coverage.levels[level];
      const first = from + Math.max(0, start - before);
      const last = Math.min(to, from + end - before);
      for (let i = first; i < last; i++) rows.push(this.index.rowOf(level, keys[i]!)!);
      before += to - from;
    }
    return rows;
  }
}

/** Binary search. @param holds false for some keys, then true for the rest */
function firstWhere(keys: Uint32Array, holds: (key: number) => boolean): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(keys[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}
