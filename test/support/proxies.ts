import http from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { later } from './closing.js';
import type { Http } from './http.js';

/**
 * Passes the requests of other programs on to the service by `service`, so that their answers are compared
 * with the descriptions, too. @returns the URL for these programs
 */
export async function startRelay(service: Http): Promise<string> {
  // The service refuses headers that are too large.
  const relay = http.createServer({ maxHeaderSize: 256 * 1_024 }, (request, response) => {
    passOn(service, request).then(
      ({ status, rawHeaders, text }) => response.writeHead(status, rawHeaders).end(text),
      () => request.socket.destroy(),
    );
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  later(async () => {
    relay.closeAllConnections();
    await new Promise((closed) => relay.close(closed));
  });
  return `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
}

/** Sends the request to the service. */
export async function passOn(service: Http, request: http.IncomingMessage) {
  const { method = '', url: path = '', headers } = request;
  const body = await text(request);
  return service.send({ method, path, headers, ...(body !== '' && { body }) });
}

/**
 * An unreliable connection between a client and the service: it loses a fifth of the requests, and a
 * fifth of the answers to the others.
 */
export async function startLossyProxy(target: number, share = 0.2) {
  const counts = { lostRequests: 0, lostAnswers: 0 };
  const agent = new http.Agent({ keepAlive: true });
  const proxy = http.createServer((request, response) => {
    if (Math.random() < share) {
      counts.lostRequests += 1;
      request.socket.destroy();
      return;
    }
    const { method, url: path, headers } = request;
    const onward = http.request(
      { agent, host: '127.0.0.1', port: target, method, path, headers },
      (answer) => {
        if (Math.random() < share) {
          counts.lostAnswers += 1;
          answer.resume();
          request.socket.destroy();
          return;
        }
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => request.socket.destroy());
    request.pipe(onward);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  later(async () => {
    agent.destroy();
    proxy.close();
    proxy.closeAllConnections();
    await Promise.resolve();
  });
  return { port: (proxy.address() as AddressInfo).port, counts };
}

/** A connection that can drop all data while it stays open, like a firewall. */
export class Line {
  private swallowing = false;
  private readonly sockets = new Set<Socket>();
  private readonly near = new Set<Socket>();
  private readonly givenUp = new Set<() => void>();

  private constructor(readonly port: number) {}

  static async to(target: number): Promise<Line> {
    const server = createServer((near) => line.join(near, target));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const line = new Line((server.address() as AddressInfo).port);
    later(async () => {
      server.close();
      for (const socket of line.sockets) socket.destroy();
      await Promise.resolve();
    });
    return line;
  }

  cut(): void {
    this.swallowing = true;
  }

  /** Dropped data stays lost. A connection that one side has closed ends on the other too. */
  restore(): void {
    this.swallowing = false;
    for (const end of this.givenUp) end();
    this.givenUp.clear();
  }

  /** Open connections on the caller's side. */
  get held(): number {
    return this.near.size;
  }

  private join(near: Socket, target: number): void {
    const far = this.swallowing ? undefined : connect(target, '127.0.0.1');
    let dead = this.swallowing;
    const pass = (to: Socket | undefined) => (bytes: Buffer) => {
      dead ||= this.swallowing;
      if (!dead) to?.write(bytes);
    };
    this.near.add(near);
    near.on('close', () => this.near.delete(near));
    near.on('data', pass(far));
    far?.on('data', pass(near));
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      if (!socket) continue;
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        if (this.swallowing) this.givenUp.add(() => other?.destroy());
        else other?.destroy();
      });
    }
  }
}
