import { createHash } from 'node:crypto';
import { deflateSync, inflateSync } from 'node:zlib';
import { parsePostcode, Postcode } from '../../kernel/postcode.js';
import { CsvReader } from './csv.js';
import { type Faults, FaultList } from './csv-table.js';

/** Every postcode of a register: packed, ascending; of the terminated also the month of their end. */
export interface RegisterRows {
  readonly live: Uint32Array;
  readonly terminated: Uint32Array;
  /** Months since January 1900, one for each of `terminated`. */
  readonly endMonths: Uint16Array;
}

export interface RegisterFileResult {
  readonly kind: 'ONSPD' | 'Code-Point Open';
  readonly rows: RegisterRows;
  /** Lines whose postcode is of no UK shape, such as Gibraltar's; they are left out. */
  readonly faults: Faults;
}

/** Names of the postcode's column, best first: ONSPD's of all years, and Code-Point Open's. */
const POSTCODE_COLUMNS = ['pcds', 'pcd2', 'pcd8', 'pcd', 'pcd7', 'postcode', 'pc'];
const END_COLUMN = 'doterm';

const MOST_MONTHS = 0xffff;

/** Reads ONS's ONSPD or OS's Code-Point Open, in chunks, by the names in the header. */
export class PostcodeRegisterReader {
  private readonly faults = new FaultList();
  private readonly csv = new CsvReader(
    (fields, line) => this.readRecord(fields, line),
    ({ line, column, value, ...wrong }) =>
      this.faults.add(this.file, line, `column ${column}`, value, wrong),
  );
  private postcodeAt: number | null = null;
  private endAt = -1;
  private failed = false;
  private readonly live = new Keys();
  private readonly terminated = new Keys();

  constructor(private readonly file: string) {}

  push(chunk: string): void {
    this.csv.push(chunk);
  }

  /** @returns null where the header is of neither kind; the fault says so */
  end(): RegisterFileResult | { kind: null; faults: Faults } {
    this.csv.end();
    if (this.postcodeAt === null) this.refuseHeader(1, '');
    const faults = this.faults.sorted([this.file]);
    if (this.failed) return { kind: null, faults };
    const ended = this.terminated.sorted();
    const live = this.live.sorted().keys;
    return {
      kind: this.endAt < 0 ? 'Code-Point Open' : 'ONSPD',
      rows: { live, terminated: ended.keys, endMonths: ended.values },
      faults,
    };
  }

  private readRecord(fields: readonly string[], line: number): void {
    if (this.postcodeAt === null) return this.readHeader(fields, line);
    if (this.failed) return;
    const text = fields[this.postcodeAt] ?? '';
    const postcode = parsePostcode(text);
    if (!(postcode instanceof Postcode)) {
      this.faults.add(this.file, line, 'postcode', text, {
        reason: postcode.detail,
        suggestion: 'The line is left out.',
      });
      return;
    }
    const end = this.endAt < 0 ? '' : (fields[this.endAt] ?? '').trim();
    if (end === '') return this.live.push(postcode.packed, 0);
    const month = monthOf(end);
    if (month === null) {
      this.faults.add(this.file, line, END_COLUMN, end, {
        reason: 'The month of termination is not YYYYMM.',
        suggestion: 'Write e.g. 201906. The line is left out.',
      });
      return;
    }
    this.terminated.push(postcode.packed, month);
  }

  private readHeader(fields: readonly string[], line: number): void {
    const names = fields.map((name) => name.trim().toLowerCase());
    const at = POSTCODE_COLUMNS.map((name) => names.indexOf(name)).find((i) => i >= 0);
    this.postcodeAt = at ?? 0;
    this.endAt = names.indexOf(END_COLUMN);
    if (at === undefined) this.refuseHeader(line, fields.join(','));
  }

  private refuseHeader(line: number, value: string): void {
    this.failed = true;
    this.faults.add(this.file, line, '', value, {
      reason: 'The header names no column of postcodes.',
      suggestion:
        'Give the CSV of ONSPD (pcds, doterm), or of Code-Point Open with its header (Postcode or PC).',
    });
  }
}

/** `YYYYMM` as months since January 1900. */
function monthOf(text: string): number | null {
  const [, year = '', month = ''] = /^(\d{4})-?(\d{2})$/.exec(text) ?? [];
  const number = (Number(year) - 1900) * 12 + Number(month) - 1;
  return Number(month) >= 1 && Number(month) <= 12 && number >= 0 && number <= MOST_MONTHS
    ? number
    : null;
}

/** Packed postcodes with a number each, which are sorted as one 53-bit number. */
class Keys {
  private count = 0;
  private pairs = new Float64Array(1024);

  push(key: number, value: number): void {
    if (this.count === this.pairs.length) {
      const { pairs } = this;
      (this.pairs = new Float64Array(pairs.length * 2)).set(pairs);
    }
    this.pairs[this.count++] = key * 0x10000 + value;
  }

  /** Of a key that occurs again the last value holds. */
  sorted(): { keys: Uint32Array; values: Uint16Array } {
    const pairs = this.pairs.subarray(0, this.count).sort();
    const keys = new Uint32Array(this.count);
    const values = new Uint16Array(this.count);
    let count = 0;
    for (const pair of pairs) {
      const key = Math.floor(pair / 0x10000);
      if (count > 0 && keys[count - 1] === key) count--;
      keys[count] = key;
      values[count++] = pair % 0x10000;
    }
    return { keys: keys.slice(0, count), values: values.slice(0, count) };
  }
}

/** The stored register cannot be read. */
export class RegisterDamaged extends Error {
  constructor() {
    super('The stored postcode register cannot be used: its checksum does not match.');
    this.name = 'RegisterDamaged';
  }
}

const DIGEST = 32;

/**
 * The stored form: SHA-256 of what follows, then in zlib's format the two counts (4 bytes each, big
 * endian) and, as varints, the differences of the live keys, of the terminated ones, and the months.
 */
export function encodeRegister({ live, terminated, endMonths }: RegisterRows): Buffer {
  const bytes = new Uint8Array(8 + live.length * 5 + terminated.length * 8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, live.length);
  view.setUint32(4, terminated.length);
  let at = 8;
  const put = (value: number): void => {
    for (; value > 0x7f; value >>>= 7) bytes[at++] = (value & 0x7f) | 0x80;
    bytes[at++] = value;
  };
  for (const keys of [live, terminated]) {
    let last = 0;
    for (const key of keys) {
      put(key - last);
      last = key;
    }
  }
  for (const month of endMonths) put(month);
  const body = deflateSync(bytes.subarray(0, at));
  return Buffer.concat([createHash('sha256').update(body).digest(), body]);
}

/** @throws {RegisterDamaged} */
export function decodeRegister(stored: Uint8Array): RegisterRows {
  const buffer = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  const body = buffer.subarray(DIGEST);
  const digest = createHash('sha256').update(body).digest();
  if (!digest.equals(buffer.subarray(0, DIGEST))) throw new RegisterDamaged();
  const bytes = inflateSync(body);
  let at = 8;
  const take = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  };
  const keysOf = (count: number): Uint32Array => {
    const keys = new Uint32Array(count);
    let key = 0;
    for (let i = 0; i < count; i++) keys[i] = key += take();
    return keys;
  };
  const live = keysOf(bytes.readUInt32BE(0));
  const terminated = keysOf(bytes.readUInt32BE(4));
  const endMonths = new Uint16Array(terminated.length);
  for (let i = 0; i < endMonths.length; i++) endMonths[i] = take();
  return { live, terminated, endMonths };
}

/** When a packed postcode was terminated, as `2019-06`; null where it was not. */
export function terminationOf(
  { terminated, endMonths }: Pick<RegisterRows, 'terminated' | 'endMonths'>,
  packed: number,
): string | null {
  let low = 0;
  let high = terminated.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (terminated[middle]! < packed) low = middle + 1;
    else high = middle;
  }
  if (terminated[low] !== packed) return null;
  const month = endMonths[low]!;
  return `${1900 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
}
