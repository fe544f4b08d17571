import { type PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';

export interface ZipEntry {
  readonly name: string;
  readonly chunks: Iterable<string>;
}

/** 1 January 1980 in local time, as zip files have it, so that equal entries make equal bytes. */
const SAME_TIME = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };

/** A zip file as a stream that holds only a few chunks in memory. Equal entries make equal bytes. */
export function zipStream(entries: Iterable<ZipEntry>): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as PassThrough;
  for (const { name, chunks } of entries) {
    zip.addReadStreamLazy(name, SAME_TIME, (use) => {
      const input = Readable.from(chunks, { objectMode: false });
      // The package does not pass it on.
      input.on('error', (error) => output.destroy(error));
      use(null, input);
    });
  }
  zip.end();
  return output;
}
