import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';

/** A stored value of a form that this program does not know. The values of all releases are read for ever. */
export class UnknownForm extends Error {
  /** @param what of the value, as the subject of a sentence */
  constructor(what: string, form: string | number) {
    super(
      `${what} has the form ${form}, which this program cannot read. A later release stored it: start that release, or one after it.`,
    );
    this.name = 'UnknownForm';
  }
}

/** Puts the number of its form in front of a value. */
export function withForm(form: number, ...parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat([Buffer.of(form), ...parts]);
}

/**
 * The bytes behind the number of the form.
 * @throws {UnknownForm} if it has another one
 */
export function ofForm(form: number, stored: Uint8Array, what: string): Uint8Array {
  if (stored[0] !== form) throw new UnknownForm(what, stored[0] ?? 'of no bytes');
  return stored.subarray(1);
}

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Compresses outside the event loop. */
export function deflateJson(value: unknown): Promise<Buffer> {
  return deflate(JSON.stringify(value));
}

export async function inflateJson<T>(bytes: Uint8Array): Promise<T> {
  return JSON.parse((await inflate(bytes)).toString()) as T;
}

const JSON_FORM = 'v1';

/** The form of JSON columns: the value under the name of its form, such as `{"v1":[]}`. */
export const jsonForm = {
  to: (value: unknown) => (value === null || value === undefined ? value : { [JSON_FORM]: value }),
  /** @throws {UnknownForm} */
  from: (stored: unknown) => {
    if (stored === null) return null;
    const [form = 'none'] = Object.keys(stored as object);
    if (form !== JSON_FORM) throw new UnknownForm('A JSON value of the database', form);
    return (stored as Record<string, unknown>)[JSON_FORM];
  },
};

/** Writes whole numbers from 0 to 2 ** 53 - 1 as varints (LEB128): 7 bits a byte, the lowest first. */
export class VarintWriter {
  private bytes = new Uint8Array(64);
  private length = 0;

  put(value: number): void {
    this.reserve(LONGEST_VARINT);
    for (; value > 0x7f; value = Math.floor(value / 0x80)) {
      this.bytes[this.length++] = (value & 0x7f) | 0x80;
    }
    this.bytes[this.length++] = value;
  }

  putSigned(value: number): void {
    this.put(zigzagOf(value));
  }

  putBytes(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** A copy of what was written. */
  written(): Buffer {
    return Buffer.from(this.bytes.subarray(0, this.length));
  }

  private reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const grown = new Uint8Array(this.bytes.length * 2 + count);
    grown.set(this.bytes);
    this.bytes = grown;
  }
}

/** Bytes of the largest varint. */
const LONGEST_VARINT = 8;

/** Reads what `VarintWriter` wrote. Past the end, numbers are 0. */
export class VarintReader {
  /** @param at where the next number starts */
  constructor(
    private readonly bytes: Uint8Array,
    public at = 0,
  ) {}

  take(): number {
    const { bytes } = this;
    let value = 0;
    // Bit operations have 32 bits; the rest is added as numbers.
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = bytes[this.at++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    for (let unit = 2 ** 28; ; unit *= 0x80) {
      const byte = bytes[this.at++] ?? 0;
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
    }
  }

  takeSigned(): number {
    return signedOf(this.take());
  }
}

/** Small numbers of both signs stay small. */
export function zigzagOf(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

/** The inverse of `zigzagOf`. */
export function signedOf(coded: number): number {
  return coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
}
