import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { MalformedRequest, Problem } from './problem.js';
import { securityHeaders } from './security-headers.js';

/** What Node's parser refuses never reaches Express; it gets problem details all the same. */
export function answerBrokenRequests(
  server: Server,
  publicUrl: string,
  heard?: (problem: Problem, id: string) => void,
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
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

function problemOf(error: NodeJS.ErrnoException): Problem {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('header-fields-too-large', 'The headers have more than 16 KB in all.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request-timeout', 'The request was not received in time.');
    default:
      return new MalformedRequest('This is not a well-formed HTTP/1.1 request.');
  }
}
