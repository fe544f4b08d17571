import {
  close,
  fdatasync,
  open,
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { AnsweringThread } from '../../kernel/answering-thread.js';
import { Unavailable } from '../../problems/problem.js';
import type { LogRequest, LogResponse } from './sqlite-log.worker.js';
import { uptime } from 'node:os';

const openFile = promisify(open);
const flushFile = promisify(fdatasync);
const closeFile = promisify(close);

/** Milliseconds until rows without a waiting caller are on disk. */
const FLUSH_WITHIN = 200;

/**
 * SQLite's write-ahead log (WAL). Other threads wait for the disk, so that this one can answer requests.
 */
export class SqliteLog {
  /** No FileHandle: Node 26 exits when it garbage-collects one that is not closed. */
  private descriptor: Promise<number> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly thread: AnsweringThread<LogRequest, LogResponse>;
  private closed = false;
  private unsettled = false;

  /** @param file the database */
  constructor(private readonly file: string) {
    const script = new URL('./sqlite-log.worker.js', import.meta.url);
    this.thread = new AnsweringThread(script, { workerData: file });
  }

  /**
   * Flushes all commits to disk.
   * @throws {Unavailable} after a disk error: then it is unknown what is stored
   */
  async flush(): Promise<void> {
    try {
      await flushFile(await this.openLog());
    } catch (error) {
      this.unsettled = true;
      throw new Unavailable('It is not known whether the database has stored this.', error);
    }
  }

  /**
   * After a failed flush, writes everything again through a checkpoint. A second flush could succeed
   * without writing, because the system may have marked the pages as clean.
   * @throws if that fails too
   */
  async settle(): Promise<void> {
    if (!this.unsettled) return;
    await this.ask('settle');
    this.unsettled = false;
  }

  /** Flushes within FLUSH_WITHIN. After a failure, the next flush does the work. */
  flushSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (!this.closed) this.flush().catch(() => undefined);
    }, FLUSH_WITHIN).unref();
  }

  /** Copies pages into the database, as far as no reader or writer blocks it. */
  checkpoint(): Promise<void> {
    return this.ask('checkpoint');
  }

  /** Ends the thread after its pending requests. SQLite flushes the rest when it closes. */
  async close(): Promise<void> {
    const closing = this.thread.isRunning ? this.ask('close') : undefined;
    this.closed = true;
    clearTimeout(this.timer);
    await closing;
    await this.thread.end();
    const descriptor = await this.descriptor?.catch(() => undefined);
    if (descriptor !== undefined) await closeFile(descriptor);
  }

  /** Shared by concurrent flushes: a second descriptor would leak. */
  private openLog(): Promise<number> {
    if (this.closed) return Promise.reject(new Error('The database is closed.'));
    this.descriptor ??= openFile(`${this.file}-wal`, 'r+').catch((error: unknown) => {
      this.descriptor = undefined;
      throw error;
    });
    return this.descriptor;
  }

  private async ask(request: LogRequest): Promise<void> {
    if (this.closed) throw new Error('The database is closed.');
    const { error } = await this.thread.ask(request);
    if (error) throw Object.assign(new Error(error.message), { code: error.code });
  }
}

/** Bytes; the format is https://www.sqlite.org/fileformat2.html#the_write_ahead_log. */
const HEADER = 32;
const FRAME_HEADER = 24;
/** The last bit tells the byte order of the checksums. */
const MAGIC = 0x377f0682;
const VERSION = 3_007_000;
/** Bytes that are read at once. */
const PART = 1 << 20;
/**
 * A process that is killed leaves a file that ends somewhere. A machine that loses power can also leave out
 * blocks before others, but only of what was not flushed yet: the service flushes the log before each
 * checkpoint, which starts after 2,000 pages, and a busy log has grown to 6,000 pages meanwhile.
 */
const MOST_UNFLUSHED = 6_000;
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
 * - A torn tail has no frames, or only those of transactions that were not committed. The checksums of these can be
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
  const { size, mtimeMs } = fstatSync(descriptor);
  const header = readHeader(descriptor);
  if (!header) {
    // SQLite flushes the header before it writes a frame.
    if (size <= HEADER + FRAME_HEADER) return null;
    return { at: 0, reason: 'its header is not valid' };
  }
  const frames = Math.floor((size - HEADER) / header.frameSize);
  const bad = firstBadFrame(descriptor, header, frames);
  const hasRestarted = mtimeMs < Date.now() - uptime() * 1_000;
  const first = bad + (hasRestarted ? MOST_UNFLUSHED : 0);
  if (!hasLaterCommit(descriptor, header, first, frames)) return null;
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
