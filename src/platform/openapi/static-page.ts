import type { Request, Response } from 'express';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { encodingFor } from '../http/compression.js';
import { hasAlready } from '../http/attachment.js';
import { LEAST_COMPRESSED } from '../http/written.js';

/** A page or file to make. */
export interface StaticContent {
  readonly type: string;
  /** Or the bytes of a file that is no text. */
  readonly text: string | Uint8Array;
  /** The `Content-Security-Policy`; by default that of all responses. */
  readonly policy?: string;
  /** The `Cache-Control`. Without it, the answer has no validator. */
  readonly cache?: string;
}

/** The browser asks each time, and gets 304 while nothing has changed. */
export const REVALIDATE = 'no-cache';

/** An answer that never changes while the service runs. Each encoding is compressed once. */
export class StaticPage {
  private readonly bytes: Buffer;
  private readonly hash: string;
  private readonly compressed = new Map<string, Promise<Buffer>>();

  constructor(private readonly content: StaticContent) {
    this.bytes = Buffer.from(content.text);
    this.hash = hashOf(content.text).slice(0, 22);
  }

  /** Sends the page, or 304 where the caller has it already (RFC 9110 §13.1.2). */
  async send(request: Request, response: Response): Promise<void> {
    const { type, policy, cache } = this.content;
    // Files that are no text are compressed already.
    const isText = typeof this.content.text === 'string';
    const isLarge = isText && this.bytes.length >= LEAST_COMPRESSED;
    const [encoding, compress] = isLarge
      ? encodingFor(request.headers['accept-encoding'])
      : (['identity'] as const);
    if (policy !== undefined) response.setHeader('Content-Security-Policy', policy);
    if (isLarge) response.vary('Accept-Encoding');
    if (cache !== undefined) {
      // A strong validator differs for each encoding (RFC 9110 §8.8.3).
      const etag = `"${this.hash}${compress ? `-${encoding}` : ''}"`;
      response.setHeader('ETag', etag);
      response.setHeader('Cache-Control', cache);
      if (hasAlready(request.headers['if-none-match'], etag)) {
        response.status(304).end();
        return;
      }
    }
    let bytes = this.bytes;
    if (compress) {
      const compressed = this.compressed.get(encoding) ?? promisify(compress)(bytes);
      this.compressed.set(encoding, compressed);
      bytes = await compressed;
      response.setHeader('Content-Encoding', encoding);
    }
    response.setHeader('Content-Type', type);
    response.setHeader('Content-Length', bytes.length);
    response.end(request.method === 'HEAD' ? undefined : bytes);
  }
}

export function hashOf(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('base64url');
}
