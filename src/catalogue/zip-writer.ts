import { pipeline, Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

export interface ZipEntry {
  /** ASCII. */
  readonly name: string;
  readonly chunks: Iterable<string>;
}

/** 1 January 1980, so that equal files make equal bytes. */
const DAY = 0x0021;
/** Size and checksum follow the data, because they are not known before it is written. */
const DATA_DESCRIPTOR = 0x0008;
const DEFLATED = 8;
/** 2.0: the oldest reader that knows both. */
const VERSION = 20;

/**
 * A zip file (APPNOTE 6.3) as a stream that holds only one chunk in memory. Files and offsets must stay
 * below 4 GB. Equal entries make equal bytes.
 */
export function zipStream(entries: Iterable<ZipEntry>): Readable {
  return Readable.from(writeZip(entries), { objectMode: false });
}

async function* writeZip(entries: Iterable<ZipEntry>): AsyncGenerator<Buffer> {
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, chunks } of entries) {
    const start = offset;
    const local = Buffer.concat([header(0x0403_4b50, 30, 4), Buffer.from(name)]);
    local.writeUInt16LE(name.length, 26);
    yield local;
    offset += local.length;
    let crc = 0;
    let size = 0;
    let packed = 0;
    function* counted(): Generator<Buffer> {
      for (const chunk of chunks) {
        const bytes = Buffer.from(chunk);
        crc = crc32(bytes, crc);
        size += bytes.length;
        yield bytes;
      }
    }
    // A failure reaches the loop below.
    const deflating = pipeline(Readable.from(counted()), createDeflateRaw(), () => undefined);
    for await (const chunk of deflating) {
      packed += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
    const sums = Buffer.alloc(16);
    sums.writeUInt32LE(0x0807_4b50);
    sums.writeUInt32LE(crc, 4);
    sums.writeUInt32LE(packed, 8);
    sums.writeUInt32LE(size, 12);
    yield sums;
    offset += packed + sums.length;
    const central = Buffer.concat([header(0x0201_4b50, 46, 6), Buffer.from(name)]);
    central.writeUInt16LE(VERSION, 4);
    sums.copy(central, 16, 4);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt32LE(start, 42);
    directory.push(central);
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50);
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  yield Buffer.concat([central, end]);
}

/** What local and central headers share, from the version on. @param at of the version that a reader needs */
function header(signature: number, length: number, at: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUInt32LE(signature);
  bytes.writeUInt16LE(VERSION, at);
  bytes.writeUInt16LE(DATA_DESCRIPTOR, at + 2);
  bytes.writeUInt16LE(DEFLATED, at + 4);
  bytes.writeUInt16LE(DAY, at + 8);
  return bytes;
}
