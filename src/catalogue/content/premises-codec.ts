import { deflateRawSync, inflateRawSync } from 'node:zlib';
import {
  signedOf,
  VarintReader,
  VarintWriter,
  zigzagOf,
} from '../../platform/kernel/stored-form.js';
import { ContentDamaged } from './coverage-codec.js';

/** Rows of one block. Each block can be read without the ones before it. */
export const BLOCK_ROWS = 32;

/** Names that are compressed together. */
const BLOCK_NAMES = 512;

/**
 * A higher level makes loading slower, and the names hardly smaller. A compressed block takes a chunk of
 * memory until all are compressed; most have fewer than 4,096 bytes.
 */
const NAMES_OPTIONS = { level: 6, chunkSize: 4_096 };

/** Separates names; no name contains it. */
const NEW_LINE = 10;

/** A row without its name. */
export interface PremisesKey {
  /** The packed postcode. */
  readonly packed: number;
  readonly uprn: number;
  readonly zoneNumber: number;
}

/**
 * The stored form of all premises, in order of postcode, then UPRN. Equal premises have equal bytes.
 *
 * A row is up to three varints (LEB128). The first is the difference to the UPRN of the row before times
 * 4, plus 1 if the postcode differs, plus 2 if the zone number does. Then the difference between the
 * postcodes and the zone number, if they differ. The difference of UPRNs is zigzag coded if the postcode
 * differs; otherwise it is positive. Every `BLOCK_ROWS` rows the row before counts as all zeros.
 */
export interface PackedPremises {
  readonly count: number;
  readonly rows: Uint8Array;
  /** UTF-8; each name ends with a line feed. Empty if there is no name at all. */
  readonly names: Uint8Array;
  /** Easting and northing of each row, 0 if not stated. Empty if there is no position at all. */
  readonly positions: Uint32Array;
  /** Of each row: see `constraintBits`. Empty if none states any. */
  readonly constraints: Uint16Array;
}

/** @param sorted by postcode, then UPRN; may be the same object each time */
export function packRows(sorted: Iterable<PremisesKey>): Pick<PackedPremises, 'count' | 'rows'> {
  const numbers = new VarintWriter();
  let count = 0;
  const last = { ...FIRST };
  for (const row of sorted) {
    if (count++ % BLOCK_ROWS === 0) Object.assign(last, FIRST);
    const { packed, uprn, zoneNumber } = row;
    const moved = packed === last.packed ? 0 : 1;
    const changed = zoneNumber === last.zoneNumber ? 0 : 2;
    const difference = uprn - last.uprn;
    const coded = moved ? zigzagOf(difference) : difference;
    numbers.put(coded * 4 + moved + changed);
    if (moved) numbers.put(packed - last.packed);
    if (changed) numbers.put(zoneNumber);
    last.packed = packed;
    last.uprn = uprn;
    last.zoneNumber = zoneNumber;
  }
  return { count, rows: numbers.written() };
}

const FIRST: PremisesKey = { packed: 0, uprn: 0, zoneNumber: 0 };

/** Reads packed rows in order, without an object for each. */
export class PremisesCursor extends VarintReader implements PremisesKey {
  packed = 0;
  uprn = 0;
  zoneNumber = 0;

  /** @param at where a block starts, in bytes */
  startBlock(at: number): void {
    this.packed = 0;
    this.uprn = 0;
    this.zoneNumber = 0;
    this.at = at;
  }

  next(): void {
    const first = this.take();
    const flags = first % 4;
    const difference = (first - flags) / 4;
    if (flags & 1) {
      this.uprn += signedOf(difference);
      this.packed += this.take();
    } else {
      this.uprn += difference;
    }
    if (flags & 2) this.zoneNumber = this.take();
  }
}

const HEADER_BYTES = 12;

/** Of one position: two numbers of 4 bytes, little endian. */
const POSITION_BYTES = 8;

/** Of the constraints of one row, little endian. */
const CONSTRAINT_BYTES = 2;

/** The bytes at the end of a content: three lengths (4 bytes, big endian), rows, names, any positions, and any constraints. */
export function packPremises({ count, rows, names, ...rest }: PackedPremises): Uint8Array {
  const { positions, constraints } = rest;
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(count);
  header.writeUInt32BE(rows.length, 4);
  header.writeUInt32BE(names.length, 8);
  const placed = new DataView(new ArrayBuffer(positions.length * 4));
  for (const [i, metres] of positions.entries()) placed.setUint32(i * 4, metres, true);
  const stated = new DataView(new ArrayBuffer(constraints.length * CONSTRAINT_BYTES));
  for (const [i, bits] of constraints.entries()) stated.setUint16(i * CONSTRAINT_BYTES, bits, true);
  const numbers = [placed, stated].map(({ buffer }) => new Uint8Array(buffer));
  return Buffer.concat([header, rows, names, ...numbers]);
}

/** @throws {ContentDamaged} */
export function unpackPremises(packed: Buffer): PackedPremises {
  const none = {
    names: new Uint8Array(),
    positions: new Uint32Array(),
    constraints: new Uint16Array(),
  };
  if (packed.length === 0) return { count: 0, rows: new Uint8Array(), ...none };
  const [count, rowBytes, nameBytes] = [0, 4, 8].map((at) =>
    packed.length < HEADER_BYTES ? 0 : packed.readUInt32BE(at),
  ) as [number, number, number];
  const namesAt = HEADER_BYTES + rowBytes;
  const positionsAt = namesAt + nameBytes;
  const bytes = packed.length - positionsAt;
  // Each part has a row for each of the premises, or is missing: the size says which are there.
  const positionBytes = bytes < count * POSITION_BYTES ? 0 : count * POSITION_BYTES;
  const constraintBytes = bytes - positionBytes;
  if (constraintBytes !== 0 && constraintBytes !== count * CONSTRAINT_BYTES) {
    throw new ContentDamaged('it has more bytes than the rows it states, or fewer');
  }
  const positions = Uint32Array.from({ length: positionBytes / 4 }, (_, i) =>
    packed.readUInt32LE(positionsAt + i * 4),
  );
  return {
    count,
    // A copy, so that the rest of the content can be released.
    rows: new Uint8Array(packed.subarray(HEADER_BYTES, namesAt)),
    names: packed.subarray(namesAt, positionsAt),
    positions,
    constraints: Uint16Array.from({ length: constraintBytes / CONSTRAINT_BYTES }, (_, i) =>
      packed.readUInt16LE(positionsAt + positionBytes + i * CONSTRAINT_BYTES),
    ),
  };
}

/** Names by position, compressed in memory, with a cache of one block. */
export class PremisesNames {
  private cached = -1;
  private cachedNames: readonly string[] = [];

  private constructor(
    private readonly compressed: Uint8Array,
    /** Where each block starts, and the end of the last. */
    private readonly starts: Uint32Array,
  ) {}

  /** Yields after each block. */
  static *from({
    count,
    names,
  }: Pick<PackedPremises, 'count' | 'names'>): Generator<void, PremisesNames> {
    const blocks: Uint8Array[] = [];
    const starts = [0];
    let size = 0;
    let start = 0;
    for (let left = names.length === 0 ? 0 : count; left > 0; left -= BLOCK_NAMES) {
      let end = start;
      for (let i = Math.min(left, BLOCK_NAMES); i > 0; i--) {
        end = names.indexOf(NEW_LINE, end) + 1;
        if (end === 0) throw new ContentDamaged('it has fewer names than premises');
      }
      const block = deflateRawSync(names.subarray(start, end), NAMES_OPTIONS);
      blocks.push(block);
      starts.push((size += block.length));
      start = end;
      yield;
    }
    if (start !== names.length) throw new ContentDamaged('it has more names than premises');
    return new PremisesNames(new Uint8Array(Buffer.concat(blocks)), Uint32Array.from(starts));
  }

  get bytes(): number {
    return this.compressed.byteLength + this.starts.byteLength;
  }

  /** Empty if it has none. */
  at(position: number): string {
    const block = Math.floor(position / BLOCK_NAMES);
    if (block + 1 >= this.starts.length) return '';
    if (block !== this.cached) {
      this.cachedNames = this.inflate(block).toString().split('\n');
      this.cached = block;
    }
    return this.cachedNames[position % BLOCK_NAMES]!;
  }

  /** As in `PackedPremises`. */
  unpacked(): Uint8Array {
    return Buffer.concat(
      Array.from({ length: this.starts.length - 1 }, (_, block) => this.inflate(block)),
    );
  }

  private inflate(block: number): Buffer {
    return inflateRawSync(this.compressed.subarray(this.starts[block], this.starts[block + 1]));
  }
}
