import type { Response } from 'express';
import { pipeline } from 'node:stream/promises';
import { brotliCompress, constants, createGzip, gzip, type InputType } from 'node:zlib';
import { contentFor, type Chunks, writeChunks } from './attachment.js';

type Compress = (bytes: InputType, done: (error: Error | null, compressed: Buffer) => void) => void;

/** Takes half of the time of the default level, for files that are a tenth larger. */
const FILE_LEVEL = 4;

const brotli: Compress = (bytes, done) =>
  brotliCompress(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }, done);

/** Of a header `Accept-Encoding`. */
interface AcceptedEncodings {
  readonly br: boolean;
  readonly gzip: boolean;
  /** Whether the bytes may come as they are. */
  readonly identity: boolean;
}

/** Programs send a few, over and over. */
const MOST_HEADERS = 100;
const read = new Map<string, AcceptedEncodings>();

/** RFC 9110 §12.5.3. */
export function acceptedBy(header = ''): AcceptedEncodings {
  let accepted = read.get(header);
  if (!accepted) {
    if (read.size === MOST_HEADERS) read.clear();
    read.set(header, (accepted = readAccepted(header)));
  }
  return accepted;
}

function readAccepted(header: string): AcceptedEncodings {
  const listed = new Map(
    header
      .toLowerCase()
      .split(',')
      .map((one) => {
        const [name = '', ...parameters] = one.split(';').map((part) => part.trim());
        return [name, !parameters.some((part) => /^q\s*=\s*0(?:\.0*)?$/.test(part))];
      }),
  );
  const others = listed.get('*');
  const identity = listed.get('identity') ?? others ?? true;
  // A program that accepts `*` may know no compression, unless it refuses everything else.
  const isForced = others === true && !identity;
  return { br: listed.get('br') ?? isForced, gzip: listed.get('gzip') ?? isForced, identity };
}

export function encodingFor(accepted: string | undefined): ['br' | 'gzip' | 'identity', Compress?] {
  const { br, gzip: isGzip } = acceptedBy(accepted);
  if (br) return ['br', brotli];
  if (isGzip) return ['gzip', (bytes, done) => gzip(bytes, done)];
  return ['identity'];
}

/**
 * Ends the response with these bytes, compressed if the client accepts it and they are many. zlib compresses in its
 * own threads.
 * @param least bytes that are worth it
 */
export function sendBytes(response: Response, bytes: Buffer, least: number): void {
  response.vary('Accept-Encoding');
  const accepted = response.req.headers['accept-encoding'];
  const [name, compress] = encodingFor(accepted);
  const isSmall = bytes.length < least && acceptedBy(accepted).identity;
  if (!compress || isSmall) return finish(response, bytes);
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
export async function sendChunks(response: Response, file: Chunks): Promise<void> {
  const chunks = contentFor(response, file);
  response.vary('Accept-Encoding');
  if (!acceptedBy(response.req.headers['accept-encoding']).gzip) {
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
