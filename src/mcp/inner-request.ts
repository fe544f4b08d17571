import type { Request } from 'express';
import { once } from 'node:events';
import { type IncomingMessage, request as sendRequest, type Server } from 'node:http';
import { duplexPair } from 'node:stream';
import { json } from 'node:stream/consumers';
import { clientAddress } from '../platform/http/client-address.js';

export interface InnerRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly key?: string;
}

export interface InnerAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Sends a request of a caller to this service over a connection in memory (Node: event `connection` of a server). So token,
 * scopes, limits, validation, log and metrics are those of any request. Its log line names the id of the caller's request.
 */
export async function requestWithin(
  server: Server,
  caller: Request,
  { method, path, body, key }: InnerRequest,
): Promise<InnerAnswer> {
  const [near, far] = duplexPair();
  server.emit('connection', Object.assign(far, { remoteAddress: clientAddress(caller) }));
  const { authorization, host, traceparent } = caller.headers;
  const sent = sendRequest({
    createConnection: () => near,
    method,
    path,
    headers: {
      Authorization: authorization,
      Host: host ?? 'localhost',
      Connection: 'close',
      'X-Request-Id': caller.id,
      ...(traceparent !== undefined && { traceparent }),
      ...(key !== undefined && { 'Idempotency-Key': key }),
      ...(body && { 'Content-Type': 'application/json' }),
    },
  });
  // After the head of the answer no one else listens; a body that is cut off fails to be read.
  sent.on('error', () => undefined);
  sent.end(body && JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answered = (await json(response)) as InnerAnswer['body'];
  near.destroy();
  return { status: response.statusCode ?? 0, body: answered };
}
