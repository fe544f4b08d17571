import http, { type IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { lookupBy, names } from './name-resolver.js';

export interface OutgoingRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Bounds name resolution, connection, TLS, request and answer together. */
  readonly signal: AbortSignal;
  /** Bytes of the answer's body that are read. */
  readonly mostRead: number;
  readonly lookup?: LookupFunction;
  /** A private certificate authority. */
  readonly ca?: string;
}

export interface OutgoingAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
  /** Not decompressed; with more than `mostRead` bytes, its start. */
  readonly body: Buffer<ArrayBuffer>;
  readonly isWhole: boolean;
}

/**
 * Sends a request over a new connection. Follows no redirects. Unlike `fetch`, it resolves names outside the
 * thread pool.
 * @throws {Error} the reason of the signal, if that is aborted
 */
export function sendRequest(
  url: URL,
  { headers, body, mostRead, lookup = lookupBy(names.resolve), ...options }: OutgoingRequest,
): Promise<OutgoingAnswer> {
  return new Promise((done, reject) => {
    const { signal } = options;
    const fail = (error: Error) => reject(signal.aborted ? (signal.reason as Error) : error);
    // A preloaded instrumentation replaces `request` of the module; a named import would keep Node's.
    const { request: send } = url.protocol === 'https:' ? https : http;
    const request = send(url, {
      ...options,
      agent: false,
      lookup,
      maxHeaderSize: 16 * 1_024,
      headers: {
        'user-agent': 'product-availability-service/0.3',
        ...headers,
        'accept-encoding': 'identity',
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
    });
    request.on('error', fail);
    // Also after an answer that Node does not report, such as 101. The first call counts.
    request.on('close', () => fail(new Error('The connection was closed without an answer.')));
    request.on('response', (response) => {
      const { statusCode: status = 0, statusMessage: statusText = '', headers } = response;
      const chunks: Buffer[] = [];
      let read = 0;
      const finish = (isWhole: boolean) =>
        done({ status, statusText, headers, body: Buffer.concat(chunks), isWhole });
      response.on('data', (chunk: Buffer) => {
        read += chunk.length;
        chunks.push(chunk);
        if (read <= mostRead) return;
        finish(false);
        request.destroy();
      });
      response.on('end', () => finish(true));
      response.on('error', fail);
    });
    request.end(body);
  });
}
