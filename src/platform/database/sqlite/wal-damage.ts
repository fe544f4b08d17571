import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

/** Bytes; the format is https://www.sqlite.org/fileformat2.html#the_write_ahead_log. */
const HEADER = 32;
const FRAME_HEADER = 24;
/** The last bit tells the byte order of the checksums. */
const MAGIC = 0x377f0682;
const VERSION = 3_007_000;
/** Bytes that are read at once. */
const PART = 1 << 20;
/** A frame that another process is writing is complete when it is read again. */
const LOOKS = 3;

/** Damage of a write-ahead log: SQLite would drop, without a word, what follows. */
export interface WalDamage {
  /** The byte at which it starts: what is before it is valid. 0 if the header is damaged. */
  readonly at: number;
  readonly reason: string;
}

interface WalHeader {
  readonly bytes: Buffer;
  readonly frameSize: number;
  readonly isBigEndian: boolean;
}

/**
 * Looks for damage in the write-ahead log of a database, which SQLite cannot tell from the end of the log.
 * The frames of a log have its salt and a running checksum. After a frame whose checksum is wrong:
 * - A torn tail has no frames, or only those of the last transaction: each commit is flushed before the next one
 *   starts, so that a power failure can leave out blocks of the last only. Checksums of frames that were not committed can be
 *   wrong: SQLite writes a page of a large transaction again, and corrects what follows at its commit.
 * - A log that was started again has frames of another salt.
 * - A damaged log has the commit of a transaction, with this salt, and a frame of the next one.
 */
export function findWalDamage(wal: string): WalDamage | null {
  if (!existsSync(wal)) return null;
  const descriptor = openSync(wal, 'r');
  try {
    let found = look(descriptor);
    for (let n = 1; found && n < LOOKS; n += 1) {
      const again = look(descriptor);
      if (again?.at !== found.at) n = 0;
      found = again;
    }
    return found;
  } finally {
    closeSync(descriptor);
  }
}

function look(descriptor: number): WalDamage | null {
  const { size } = fstatSync(descriptor);
  const header = readHeader(descriptor);
  if (!header) {
    // SQLite flushes the header before it writes a frame.
    if (size <= HEADER + FRAME_HEADER) return null;
    return { at: 0, reason: 'its header is not valid' };
  }
  const frames = Math.floor((size - HEADER) / header.frameSize);
  const bad = firstBadFrame(descriptor, header, frames);
  if (!hasLaterCommit(descriptor, header, bad, frames)) return null;
  const reason = `frame ${bad + 1} of ${frames} is not valid, although later ones are`;
  return { at: HEADER + bad * header.frameSize, reason };
}

/** Undefined where it is not valid. */
function readHeader(descriptor: number): WalHeader | undefined {
  const bytes = Buffer.alloc(HEADER);
  if (readSync(descriptor, bytes, 0, HEADER, 0) < HEADER) return undefined;
  const magic = bytes.readUInt32BE(0);
  const isBigEndian = magic === MAGIC + 1;
  if (magic !== MAGIC && !isBigEndian) return undefined;
  const sum = new WalChecksum(isBigEndian);
  sum.add(bytes.subarray(0, 24));
  if (bytes.readUInt32BE(4) !== VERSION || !sum.equals(bytes, 24)) return undefined;
  return { bytes, frameSize: FRAME_HEADER + bytes.readUInt32BE(8), isBigEndian };
}

/** Its index, or `frames`. */
function firstBadFrame(descriptor: number, header: WalHeader, frames: number): number {
  const { bytes, frameSize, isBigEndian } = header;
  const sum = new WalChecksum(isBigEndian, bytes, 24);
  const each = Math.max(1, Math.floor(PART / frameSize));
  const part = Buffer.alloc(each * frameSize);
  for (let at = 0; at < frames; at += each) {
    const read = readSync(descriptor, part, 0, part.length, HEADER + at * frameSize);
    for (let i = 0; i < each && at + i < frames; i += 1) {
      const frame = part.subarray(i * frameSize, (i + 1) * frameSize);
      const isWhole = (i + 1) * frameSize <= read;
      if (!isWhole || !hasSaltOf(header, frame)) return at + i;
      if (!sum.continuedBy(frame)) return at + i;
    }
  }
  return frames;
}

/**
 * Whether a later frame continues a commit, from `first` on: it has the salt, and its checksum continues that of
 * the frame that ended the transaction before it. Frames of transactions that were rolled back can be
 * there, but nothing continues them.
 */
function hasLaterCommit(
  descriptor: number,
  header: WalHeader,
  first: number,
  frames: number,
): boolean {
  const { frameSize, isBigEndian } = header;
  const before = Buffer.alloc(FRAME_HEADER);
  const next = Buffer.alloc(frameSize);
  for (let i = first; i + 1 < frames; i += 1) {
    readSync(descriptor, before, 0, FRAME_HEADER, HEADER + i * frameSize);
    // The size of the database after a commit, otherwise 0.
    if (!hasSaltOf(header, before) || before.readUInt32BE(4) === 0) continue;
    readSync(descriptor, next, 0, frameSize, HEADER + (i + 1) * frameSize);
    const sum = new WalChecksum(isBigEndian, before);
    if (hasSaltOf(header, next) && sum.continuedBy(next)) return true;
  }
  return false;
}

function hasSaltOf({ bytes }: WalHeader, frame: Buffer): boolean {
  return frame.compare(bytes, 16, 24, 8, 16) === 0;
}

/** The running checksum of the format: two sums of 32 bits, each of which the other one is added to. */
class WalChecksum {
  private first = 0;
  private second = 0;

  /** @param from starts with the sums at this place of it */
  constructor(
    private readonly isBigEndian: boolean,
    from?: Buffer,
    at = 16,
  ) {
    if (from) [this.first, this.second] = [from.readInt32BE(at), from.readInt32BE(at + 4)];
  }

  /** Adds a frame. @returns whether its checksum is right */
  continuedBy(frame: Buffer): boolean {
    this.add(frame.subarray(0, 8));
    this.add(frame.subarray(FRAME_HEADER));
    return this.equals(frame, 16);
  }

  /** @param bytes a multiple of 8 */
  add(bytes: Buffer): void {
    const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const isLittle = !this.isBigEndian;
    let [first, second] = [this.first, this.second];
    for (let at = 0; at < bytes.length; at += 8) {
      first = (first + words.getUint32(at, isLittle) + second) | 0;
      second = (second + words.getUint32(at + 4, isLittle) + first) | 0;
    }
    [this.first, this.second] = [first, second];
  }

  /** Whether it is the one that is stored at a place. */
  equals(bytes: Buffer, at: number): boolean {
    return bytes.readInt32BE(at) === this.first && bytes.readInt32BE(at + 4) === this.second;
  }
}
