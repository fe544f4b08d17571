import type { Response } from 'express';
import { pipeline } from 'node:stream/promises';
import { brotliCompress, constants, createGzip, gzip, type InputType } from 'node:zlib';
import { type Chunks, writeChunks } from './write-chunks.js';

type Compress = (bytes: InputType, done: (error: Error | null, compressed: Buffer) => void) => void;

/** Takes half of the time of the default level, for files that are a tenth larger. */
const FILE_LEVEL = 4;

const brotli: Compress = (bytes, done) =>
  brotliCompress(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }, done);

/** In lower case, without those of quality 0. */
function acceptedEncodings(header: string | undefined): ReadonlySet<string> {
  return new Set(
    (header ?? '')
      .split(',')
      .filter((one) => !/;\s*q=0(?:\.0*)?\s*$/.test(one))
      .map((one) => one.split(';')[0]!.trim().toLowerCase()),
  );
}

export function encodingFor(accepted: string | undefined): ['br' | 'gzip' | 'identity', Compress?] {
  const offered = acceptedEncodings(accepted);
  if (offered.has('br')) return ['br', brotli];
  if (offered.has('gzip')) return ['gzip', (bytes, done) => gzip(bytes, done)];
  return ['identity'];
}

/**
 * Ends the response with these bytes, compressed if the client accepts it and they are many. zlib compresses in its
 * own threads.
 * @param least bytes that are worth it
 */
export function sendBytes(response: Response, bytes: Buffer, least: number): void {
  response.vary('Accept-Encoding');
  const [name, compress] = encodingFor(response.req.headers['accept-encoding']);
  if (!compress || bytes.length < least) return finish(response, bytes);
  compress(bytes, (error, compressed) => {
    if (error) return finish(response, bytes);
    response.setHeader('Content-Encoding', name);
    finish(response, compressed);
  });
}

function finish(response: Response, bytes: Buffer): void {
  response.setHeader('Content-Length', bytes.length);
  response.end(response.req.method === 'HEAD' ? undefined : bytes);
}

/** Writes a file as fast as the client reads it, compressed by gzip if it accepts that. */
export async function sendChunks(response: Response, chunks: Chunks): Promise<void> {
  response.vary('Accept-Encoding');
  if (!acceptedEncodings(response.req.headers['accept-encoding']).has('gzip')) {
    if (await writeChunks(response, chunks)) response.end();
    return;
  }
  response.setHeader('Content-Encoding', 'gzip');
  const compressed = createGzip({ level: FILE_LEVEL });
  // A client that hangs up ends both streams, and is not an error.
  const sent = pipeline(compressed, response).catch(() => undefined);
  if (await writeChunks(compressed, chunks)) compressed.end();
  await sent;
}
