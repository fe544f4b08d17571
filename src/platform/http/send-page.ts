import type { Response } from 'express';
import { brotliCompress, constants, gzip, type InputType } from 'node:zlib';
import { PAGE_POLICY } from './security-headers.js';
import { SeeOther, WrittenHtml } from './written.js';

/** Bytes. A smaller page fits into one packet uncompressed. */
export const LEAST_COMPRESSED = 1_000;

/** Sends a page or a redirect. zlib compresses in its own threads. */
export function sendPage(
  response: Response,
  page: WrittenHtml | SeeOther,
  statusCode?: number,
): void {
  response.setHeader('Referrer-Policy', 'same-origin');
  if (page instanceof SeeOther) {
    response.statusCode = 303;
    response.setHeader('Location', page.location);
    response.setHeader('Content-Length', 0);
    response.end();
    return;
  }
  response.statusCode = page.status ?? statusCode ?? 200;
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Security-Policy', PAGE_POLICY);
  response.setHeader('Vary', 'Accept-Encoding');
  const text = Buffer.from(page.text);
  const [name, compress] = encodingFor(response.req.headers['accept-encoding']);
  if (!compress || text.length < LEAST_COMPRESSED) return finish(response, text);
  compress(text, (error, compressed) => {
    if (error) return finish(response, text);
    response.setHeader('Content-Encoding', name);
    finish(response, compressed);
  });
}

function finish(response: Response, bytes: Buffer): void {
  response.setHeader('Content-Length', bytes.length);
  response.end(response.req.method === 'HEAD' ? undefined : bytes);
}

type Compress = (bytes: InputType, done: (error: Error | null, compressed: Buffer) => void) => void;

const brotli: Compress = (bytes, done) =>
  brotliCompress(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }, done);

export function encodingFor(accepted: string | undefined): ['br' | 'gzip' | 'identity', Compress?] {
  const offered = new Set(
    (accepted ?? '')
      .split(',')
      .filter((one) => !/;\s*q=0(?:\.0*)?\s*$/.test(one))
      .map((one) => one.split(';')[0]!.trim().toLowerCase()),
  );
  if (offered.has('br')) return ['br', brotli];
  if (offered.has('gzip')) return ['gzip', (bytes, done) => gzip(bytes, done)];
  return ['identity'];
}
