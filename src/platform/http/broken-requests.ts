import { randomUUID } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { MalformedRequest, Problem } from '../problems/problem.js';
import { LONGEST_URL, uriTooLong } from './request-id.js';
import { securityHeaders } from './security-headers.js';

/**
 * Answers requests that Node refuses before Express with problem details. Ignores an unknown `Expect`
 * (RFC 9110 §10.1.1): Node would answer it without a body.
 */
export function answerBrokenRequests(
  server: Server,
  publicUrl: string,
  heard?: (problem: Problem, id: string) => void,
): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const running = answerRunningOn(socket);
    if (running?.req.complete) {
      // The broken bytes follow a complete request, which still gets its response.
      running.shouldKeepAlive = false;
      running.once('finish', () => socket.end());
      return;
    }
    if (running?.headersSent) {
      socket.destroy();
      return;
    }
    const problem = problemOf(error);
    const id = randomUUID();
    heard?.(problem, id);
    const body = JSON.stringify(problem.body(publicUrl, id));
    socket.end(
      [
        `HTTP/1.1 ${problem.status} ${problem.title}`,
        'Content-Type: application/problem+json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Cache-Control: no-store',
        ...lines(securityHeaders(publicUrl)),
        `X-Request-Id: ${id}`,
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
    );
  });
}

function lines(headers: readonly string[]): string[] {
  return headers.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${headers[i + 1]}`] : []));
}

/** Node's own handler also finds the current response on the socket. */
function answerRunningOn(socket: Socket): ServerResponse | null | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage;
}

/** Whether the first line, with the URL, was too long. */
function isAllAddress({ rawPacket }: { readonly rawPacket?: Buffer }): boolean {
  const end = rawPacket?.indexOf('\r\n') ?? 0;
  return end < 0 || end > LONGEST_URL;
}

function problemOf(error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer }): Problem {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      if (isAllAddress(error)) return uriTooLong();
      return new Problem('header-fields-too-large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request-timeout');
    case undefined:
    default:
      return new MalformedRequest('This is not a well-formed HTTP/1.1 request.');
  }
}
