import { createHash } from 'node:crypto';
import { deflateSync, inflateSync } from 'node:zlib';
import { lowerBound } from '../platform/kernel/sorted.js';
import { ofForm, withForm } from '../platform/kernel/stored-form.js';

/** Whole metres on the National Grid of Great Britain. */
export interface Position {
  readonly easting: number;
  readonly northing: number;
}

/** The extent of the National Grid, in metres. */
export const GRID = { easting: 700_000, northing: 1_300_000 } as const;

/**
 * Areas without a band: Northern Ireland has the Irish grid, whose numbers would be places in Great Britain,
 * and the operators of the islands are not reached by building.
 */
export const AREAS_OFF_GRID: ReadonlySet<string> = new Set(['BT', 'GY', 'IM', 'JE']);

/** Null if it is not on the grid. The publishers write 0, 0 for an unknown position. */
export function positionOf(easting: string, northing: string): Position | null {
  const isWhole = /^\d{1,7}$/.test(easting) && /^\d{1,7}$/.test(northing);
  const position = { easting: Number(easting), northing: Number(northing) };
  return isWhole && isOnGrid(position) ? position : null;
}

export function isOnGrid({ easting, northing }: Position): boolean {
  return easting > 0 && easting < GRID.easting && northing > 0 && northing < GRID.northing;
}

/** Where postcodes are: twelve bytes each. */
export class Positions {
  /** @param keys packed postcodes, ascending */
  constructor(
    readonly keys: Uint32Array,
    readonly eastings: Uint32Array,
    readonly northings: Uint32Array,
  ) {}

  /** Null for a postcode that the register lacks, or has without a position. */
  of(packed: number): Position | null {
    const row = lowerBound(this.keys, packed);
    return this.keys[row] === packed ? this.at(row) : null;
  }

  at(row: number): Position {
    return { easting: this.eastings[row]!, northing: this.northings[row]! };
  }
}

/** More than the rows of any register; with a packed postcode, it fits in 53 bits. */
const MOST_ROWS = 2 ** 22;

/** Collects positions in any order. The last of a repeated postcode counts. */
export class PositionsBuilder {
  private count = 0;
  private columns = [1024, 1024, 1024].map((length) => new Uint32Array(length));

  add(packed: number, { easting, northing }: Position): void {
    if (this.count === MOST_ROWS) return;
    if (this.count === this.columns[0]!.length) {
      this.columns = this.columns.map((column) => {
        const grown = new Uint32Array(column.length * 2);
        grown.set(column);
        return grown;
      });
    }
    for (const [i, value] of [packed, easting, northing].entries()) {
      this.columns[i]![this.count] = value;
    }
    this.count += 1;
  }

  build(): Positions {
    const [keys, eastings, northings] = this.columns as [Uint32Array, Uint32Array, Uint32Array];
    const order = new Float64Array(this.count);
    for (let row = 0; row < this.count; row++) order[row] = keys[row]! * MOST_ROWS + row;
    order.sort();
    const sorted = [0, 1, 2].map(() => new Uint32Array(this.count));
    let count = 0;
    for (const pair of order) {
      const row = pair % MOST_ROWS;
      if (count > 0 && sorted[0]![count - 1] === keys[row]) count -= 1;
      for (const [i, column] of [keys, eastings, northings].entries()) {
        sorted[i]![count] = column[row]!;
      }
      count += 1;
    }
    const [packed, east, north] = sorted.map((column) => column.slice(0, count));
    return new Positions(packed!, east!, north!);
  }
}

const FORM = 1;
const DIGEST = 32;

/** The stored form: its number, SHA-256 of the rest, then compressed: the differences between keys, eastings, northings. */
export function encodePositions({ keys, eastings, northings }: Positions): Buffer {
  const differences = keys.map((key, i) => key - (keys[i - 1] ?? 0));
  const columns = [differences, eastings, northings].map((column) =>
    Buffer.from(column.buffer, column.byteOffset, column.byteLength),
  );
  const body = deflateSync(Buffer.concat(columns), { level: 4 });
  return withForm(FORM, createHash('sha256').update(body).digest(), body);
}

/** @throws {Error} if the bytes are not what `encodePositions` wrote */
export function decodePositions(stored: Uint8Array): Positions {
  const bytesOfForm = ofForm(FORM, stored, 'The stored register of positions');
  const body = bytesOfForm.subarray(DIGEST);
  const digest = createHash('sha256').update(body).digest();
  if (!digest.equals(bytesOfForm.subarray(0, DIGEST))) {
    throw new Error('The stored positions cannot be used: their checksum does not match.');
  }
  const bytes = inflateSync(body);
  // A copy: the buffer of zlib need not be aligned.
  const all = new Uint32Array(new Uint8Array(bytes).buffer);
  const count = all.length / 3;
  const keys = all.slice(0, count);
  for (let row = 1; row < count; row++) keys[row]! += keys[row - 1]!;
  return new Positions(keys, all.slice(count, 2 * count), all.slice(2 * count));
}
