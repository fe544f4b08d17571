import type { Position } from '../../near-net/positions.js';
import {
  BLOCK_ROWS,
  type PackedPremises,
  packRows,
  PremisesCursor,
  type PremisesKey,
  PremisesNames,
} from './premises-codec.js';

/** So that block numbers have 15 bits in the table of UPRNs. */
export const MOST_PREMISES = 1_000_000;

/** Rows in one bucket of the table of UPRNs, on average. */
const BUCKET_ROWS = 8;

/** Size of one step: about a millisecond of work. */
const STEP_ROWS = 16_384;

export interface Premises extends PremisesKey {
  /** Null if the operator gave none. */
  readonly name: string | null;
  readonly position: Position | null;
  /** See `constraintBits`; 0 for those of the zone. */
  readonly constraints: number;
}

/**
 * The operator's listed premises. Finds one by postcode and UPRN, lists those at a postcode, and tells
 * whether a UPRN is listed elsewhere. The rows stay packed; see `PackedPremises`.
 */
export class PremisesIndex {
  private readonly cursor: PremisesCursor;

  private constructor(
    readonly count: number,
    private readonly rows: Uint8Array,
    private readonly names: PremisesNames,
    /** As in `PackedPremises`. */
    private readonly positions: Uint32Array,
    private readonly constraints: Uint16Array,
    /** Of the first row of each block: where it starts, its postcode and its UPRN. */
    private readonly starts: Uint32Array,
    private readonly postcodes: Uint32Array,
    private readonly uprns: Float64Array,
    /** Where each bucket starts in `table`, and the end of the last. */
    private readonly buckets: Uint32Array,
    /** By bucket: the block of each UPRN times 2, plus one bit of its hash. */
    private readonly table: Uint16Array,
  ) {
    this.cursor = new PremisesCursor(rows);
  }

  /** Yields after each step. @param packed its names may be those of an index already */
  static *from({
    count,
    rows,
    names,
    positions,
    constraints,
  }: Omit<PackedPremises, 'names'> & {
    readonly names: Uint8Array | PremisesNames;
  }): Generator<void, PremisesIndex> {
    const blocks = Math.ceil(count / BLOCK_ROWS);
    const starts = new Uint32Array(blocks);
    const postcodes = new Uint32Array(blocks);
    const uprns = new Float64Array(blocks);
    const buckets = new Uint32Array(bucketsFor(count) + 1);
    const hashes = new Uint32Array(count);
    const cursor = new PremisesCursor(rows);
    for (let i = 0; i < count; i++) {
      const block = i / BLOCK_ROWS;
      const isFirst = i % BLOCK_ROWS === 0;
      if (isFirst) {
        starts[block] = cursor.at;
        cursor.startBlock(cursor.at);
      }
      cursor.next();
      if (isFirst) {
        postcodes[block] = cursor.packed;
        uprns[block] = cursor.uprn;
      }
      const hash = hashOf(cursor.uprn);
      hashes[i] = hash;
      buckets[bucketOf(hash, buckets) + 1]!++;
      if (i % STEP_ROWS === STEP_ROWS - 1) yield;
    }
    for (let i = 1; i < buckets.length; i++) buckets[i]! += buckets[i - 1]!;
    const table = new Uint16Array(count);
    const next = buckets.slice();
    for (let i = 0; i < count; i++) {
      const hash = hashes[i]!;
      table[next[bucketOf(hash, buckets)]!++] = Math.floor(i / BLOCK_ROWS) * 2 + (hash >>> 31);
      if (i % STEP_ROWS === STEP_ROWS - 1) yield;
    }
    const known =
      names instanceof PremisesNames ? names : yield* PremisesNames.from({ count, names });
    const parts = [starts, postcodes, uprns, buckets, table] as const;
    return new PremisesIndex(count, rows, known, positions, constraints, ...parts);
  }

  /** The bytes that the index takes, without names and their cache. */
  get bytes(): { readonly index: number; readonly names: number } {
    const { rows, positions, constraints, starts, postcodes, uprns, buckets, table } = this;
    const parts = [rows, positions, constraints, starts, postcodes, uprns, buckets, table];
    return {
      index: parts.reduce((sum, part) => sum + part.byteLength, 0),
      names: this.names.bytes,
    };
  }

  /** NO_ROW if they are not listed at that postcode. */
  zoneNumberAt(packed: number, uprn: number): number {
    return this.seek(packed, uprn) < 0 ? 0 : this.cursor.zoneNumber;
  }

  /** Null if they are not listed at that postcode. */
  find(packed: number, uprn: number): Premises | null {
    const position = this.seek(packed, uprn);
    return position < 0 ? null : this.current(position);
  }

  /** The packed postcode at which a UPRN is listed; null if it is not listed. */
  postcodeOf(uprn: number): number | null {
    const { cursor, buckets, table, starts } = this;
    const hash = hashOf(uprn);
    const bucket = bucketOf(hash, buckets);
    for (let i = buckets[bucket]!; i < buckets[bucket + 1]!; i++) {
      const entry = table[i]!;
      if (entry % 2 !== hash >>> 31) continue;
      const block = entry >>> 1;
      cursor.startBlock(starts[block]!);
      for (let left = this.rowsIn(block); left > 0; left--) {
        cursor.next();
        if (cursor.uprn === uprn) return cursor.packed;
      }
    }
    return null;
  }

  /** Those at a postcode whose UPRN is above `after`, in order of UPRN. */
  at(packed: number, after = 0, most = Infinity): Premises[] {
    const found: Premises[] = [];
    const { cursor } = this;
    const first = this.blockOf(packed, after);
    for (let block = Math.max(first, 0); block < this.starts.length; block++) {
      if (this.postcodes[block]! > packed) break;
      cursor.startBlock(this.starts[block]!);
      const rows = this.rowsIn(block);
      for (let i = 0; i < rows; i++) {
        cursor.next();
        if (cursor.packed > packed || found.length >= most) return found;
        if (cursor.packed === packed && cursor.uprn > after) {
          found.push(this.current(block * BLOCK_ROWS + i));
        }
      }
    }
    return found;
  }

  /** All without their names, by postcode, then UPRN. The same object each time. */
  *keys(): Generator<PremisesKey, undefined> {
    const cursor = new PremisesCursor(this.rows);
    for (let i = 0; i < this.count; i++) {
      if (i % BLOCK_ROWS === 0) cursor.startBlock(cursor.at);
      cursor.next();
      yield cursor;
    }
    return undefined;
  }

  /** All, in the sequence of `keys`. */
  *listed(): Generator<Premises> {
    let row = 0;
    for (const key of this.keys()) yield this.premisesAt(key, row++);
  }

  /** The name of the nth of `keys`; null if it has none. */
  nameAt(position: number): string | null {
    return this.names.at(position) || null;
  }

  /** Whether any premises have a position. */
  get arePlaced(): boolean {
    return this.positions.length > 0;
  }

  /** The position of the nth of `keys`; null if it has none. */
  positionAt(row: number): Position | null {
    const easting = this.positions[row * 2] ?? 0;
    return easting === 0 ? null : { easting, northing: this.positions[row * 2 + 1]! };
  }

  /** Null if they are not listed at that postcode, or have no position. */
  positionOf(packed: number, uprn: number): Position | null {
    const row = this.arePlaced ? this.seek(packed, uprn) : -1;
    return row < 0 ? null : this.positionAt(row);
  }

  /** The same premises with other zones. @param zoneNumberOf by UPRN and zone number */
  rezoned(zoneNumberOf: (uprn: number, zoneNumber: number) => number): PremisesIndex {
    const row = { packed: 0, uprn: 0, zoneNumber: 0 };
    function* rows(keys: Iterable<PremisesKey>): Generator<PremisesKey> {
      for (const { packed, uprn, zoneNumber } of keys) {
        row.packed = packed;
        row.uprn = uprn;
        row.zoneNumber = zoneNumberOf(uprn, zoneNumber);
        yield row;
      }
    }
    const { positions, constraints, names } = this;
    const packed = { ...packRows(rows(this.keys())), names, positions, constraints };
    return builtAtOnce(PremisesIndex.from(packed));
  }

  /** Those of the nth of `keys`; 0 if it states none. */
  constraintsAt(row: number): number {
    return this.constraints[row] ?? 0;
  }

  /** 0 if they are not listed at that postcode, or state none. */
  constraintsOf(packed: number, uprn: number): number {
    const row = this.constraints.length > 0 ? this.seek(packed, uprn) : -1;
    return row < 0 ? 0 : this.constraintsAt(row);
  }

  /** Whether any premises state theirs. */
  get areConstrained(): boolean {
    return this.constraints.length > 0;
  }

  /** The inverse of `from`. */
  packed(): PackedPremises {
    const { count, rows, names, positions, constraints } = this;
    return { count, rows, names: names.unpacked(), positions, constraints };
  }

  private current(row: number): Premises {
    return this.premisesAt(this.cursor, row);
  }

  private premisesAt({ packed, uprn, zoneNumber }: PremisesKey, row: number): Premises {
    const [name, position] = [this.nameAt(row), this.positionAt(row)];
    return { packed, uprn, zoneNumber, name, position, constraints: this.constraintsAt(row) };
  }

  /** Moves the cursor to a row. @returns its position; negative if there is none */
  private seek(packed: number, uprn: number): number {
    const block = this.blockOf(packed, uprn);
    if (block < 0) return -1;
    const { cursor } = this;
    cursor.startBlock(this.starts[block]!);
    const rows = this.rowsIn(block);
    for (let i = 0; i < rows; i++) {
      cursor.next();
      if (cursor.packed < packed) continue;
      if (cursor.packed > packed) return -1;
      if (cursor.uprn === uprn) return block * BLOCK_ROWS + i;
      if (cursor.uprn > uprn) return -1;
    }
    return -1;
  }

  /** The last block that starts at or before the row; negative if there is none. Binary search. */
  private blockOf(packed: number, uprn: number): number {
    const { postcodes, uprns } = this;
    let low = 0;
    let high = postcodes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const first = postcodes[middle]!;
      if (first < packed || (first === packed && uprns[middle]! <= uprn)) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  private rowsIn(block: number): number {
    return Math.min(BLOCK_ROWS, this.count - block * BLOCK_ROWS);
  }
}

/** A power of two. */
function bucketsFor(count: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, count / BUCKET_ROWS)));
}

function bucketOf(hash: number, buckets: Uint32Array): number {
  return hash & (buckets.length - 2);
}

/** 32 bits of a UPRN's 40 (the finaliser of MurmurHash3). */
function hashOf(uprn: number): number {
  const high = Math.floor(uprn / 2 ** 32);
  let hash = (uprn >>> 0) ^ Math.imul(high, 0x9e37_79b1);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A name has no line breaks. */
type NewPremises = PremisesKey & Partial<Premises>;

/** Collects premises in any order. */
export class PremisesBuilder {
  private readonly lines = new Map<number, number>();
  private readonly rows: NewPremises[] = [];

  get count(): number {
    return this.lines.size;
  }

  /** The line of a UPRN that was added. */
  lineOf(uprn: number): number | undefined {
    return this.lines.get(uprn);
  }

  add(premises: NewPremises, line = 0): void {
    this.lines.set(premises.uprn, line);
    this.rows.push(premises);
  }

  /** @param renumbered the final zone number for each that was added */
  build(renumbered: ArrayLike<number>): PremisesIndex {
    const sorted = this.rows.toSorted((a, b) => a.packed - b.packed || a.uprn - b.uprn);
    function* keys(): Generator<PremisesKey> {
      for (const row of sorted) yield { ...row, zoneNumber: renumbered[row.zoneNumber]! };
    }
    const isNamed = sorted.some(({ name }) => name);
    const placed = sorted.some(({ position }) => position) ? sorted : [];
    const stated = sorted.some(({ constraints }) => constraints) ? sorted : [];
    const steps = PremisesIndex.from({
      ...packRows(keys()),
      names: Buffer.from(isNamed ? sorted.map(({ name }) => `${name ?? ''}\n`).join('') : ''),
      positions: Uint32Array.from(
        placed.flatMap(({ position }) => [position?.easting ?? 0, position?.northing ?? 0]),
      ),
      constraints: Uint16Array.from(stated, ({ constraints = 0 }) => constraints),
    });
    return builtAtOnce(steps);
  }
}

function builtAtOnce(steps: Generator<void, PremisesIndex>): PremisesIndex {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

export const NO_PREMISES = new PremisesBuilder().build([]);
