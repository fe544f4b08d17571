import { constants, crc32, deflateRawSync } from 'node:zlib';

/** Gzip, deflated, without a time, made on an unknown system (RFC 1952). */
const GZIP_START = '\x1f\x8b\b\0\0\0\0\0\0\xff';
/** Bytes of the largest stored block (RFC 1951 §3.2.4). */
const LONGEST_BLOCK = 0xffff;
const BITS = Array.from({ length: 32 }, (_, bit) => bit);

/** The bytes of a text in UTF-8, one for each character: Node writes such a text with the headers, which costs less than a buffer. */
type Bytes = string;

interface Deflated {
  /** Blocks that end at a byte boundary and refer to nothing before them. */
  readonly blocks: Bytes;
  /** The CRC of the text, and what each bit of the CRC before it changes there: a CRC is linear. */
  readonly crc: number;
  readonly crcOfBit: Int32Array;
}

/** A text that is a part of many answers. It is compressed once, when an answer with it is first compressed. */
export class KeptText {
  /** In UTF-8. */
  readonly bytes: number;
  private kept: Deflated | undefined;

  constructor(readonly text: string) {
    this.bytes = Buffer.byteLength(text);
  }

  get deflated(): Deflated {
    return (this.kept ??= deflate(Buffer.from(this.text)));
  }
}

/** An answer, most of which is kept. */
export class AnswerText {
  private readonly bytesBefore: number;
  private readonly bytesAfter: number;
  /** Of the text in UTF-8. Counting those of the whole text would copy it. */
  readonly bytes: number;

  constructor(
    private readonly before: string,
    private readonly kept: KeptText,
    private readonly after: string,
  ) {
    this.bytesBefore = Buffer.byteLength(before);
    this.bytesAfter = Buffer.byteLength(after);
    this.bytes = this.bytesBefore + kept.bytes + this.bytesAfter;
  }

  get text(): string {
    return this.before + this.kept.text + this.after;
  }

  /** The text as a gzip file: the kept blocks between stored ones. Nothing is compressed here. */
  get gzip(): Bytes {
    const { blocks, crc, crcOfBit } = this.kept.deflated;
    let crcSoFar = crc;
    const crcBefore = crc32(this.before);
    for (const bit of BITS) crcSoFar ^= crcOfBit[bit]! & -((crcBefore >>> bit) & 1);
    const crcOfAll = crc32(this.after, crcSoFar >>> 0);
    const before = stored(bytesOf(this.before, this.bytesBefore), false);
    const after = stored(bytesOf(this.after, this.bytesAfter), true);
    return GZIP_START + before + blocks + after + fourBytes(crcOfAll) + fourBytes(this.bytes);
  }
}

function deflate(bytes: Buffer): Deflated {
  const deflated = deflateRawSync(bytes, { finishFlush: constants.Z_FULL_FLUSH });
  const crc = crc32(bytes);
  const crcOfBit = Int32Array.from(BITS, (bit) => crc32(bytes, (1 << bit) >>> 0) ^ crc);
  return { blocks: deflated.toString('latin1'), crc, crcOfBit };
}

/** @param length of the bytes */
function bytesOf(text: string, length: number): Bytes {
  return length === text.length ? text : Buffer.from(text).toString('latin1');
}

/** Blocks that are not compressed. They begin and end at a byte boundary. */
function stored(bytes: Bytes, isLast: boolean): Bytes {
  if (bytes.length > LONGEST_BLOCK) {
    const first = stored(bytes.slice(0, LONGEST_BLOCK), false);
    return first + stored(bytes.slice(LONGEST_BLOCK), isLast);
  }
  const { length } = bytes;
  return (isLast ? '\x01' : '\0') + twoBytes(length) + twoBytes(~length) + bytes;
}

/** The least significant byte first. */
function twoBytes(value: number): Bytes {
  return String.fromCharCode(value & 0xff, (value >>> 8) & 0xff);
}

function fourBytes(value: number): Bytes {
  return twoBytes(value) + twoBytes(value >>> 16);
}
