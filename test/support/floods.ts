import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { answerOn } from './http.js';
import type { Service } from './service.js';

interface FloodReply {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** A GET, with these headers. */
export interface FloodRequest {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends all requests at once, each over its own socket. The service has accepted the sockets before, so
 * that all requests reach it in the same turn of its event loop.
 */
export async function flood(
  service: Service,
  requests: readonly FloodRequest[],
): Promise<FloodReply[]> {
  const accepted = connections(service, requests.length);
  const sockets = requests.map(() => connect(service.http.port, '127.0.0.1'));
  await Promise.all([accepted, ...sockets.map((socket) => once(socket, 'connect'))]);
  const texts = requests.map(({ path, headers = {} }) => {
    const all = { Host: 'localhost', Connection: 'close', ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    return [`GET ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
  });
  const answers = sockets.map((socket, i) => answerOn(socket, texts[i]!));
  for (const [i, text] of texts.entries()) sockets[i]!.write(text);
  return (await Promise.all(answers)).map((answer) => ({
    status: Number(answer.slice(9, 12)),
    retryAfter: /^retry-after: (.*)$/im.exec(answer)?.[1],
  }));
}

/** The number of answers with this status. */
export function numberOf(replies: readonly FloodReply[], status: number): number {
  return replies.filter((reply) => reply.status === status).length;
}

/** Resolves after the service has accepted this many further connections. */
function connections(service: Service, number: number): Promise<void> {
  const server: Server = service.app.getHttpServer();
  return new Promise((resolve) => {
    let missing = number;
    const accept = () => {
      missing -= 1;
      if (missing > 0) return;
      server.off('connection', accept);
      resolve();
    };
    server.on('connection', accept);
  });
}
