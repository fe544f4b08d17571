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

/** The end of what PostgreSQL sends when a connection is ready: ReadyForQuery, outside a transaction. */
const READY = Buffer.from([...Buffer.from('Z'), 0, 0, 0, 5, ...Buffer.from('I')]);

/** What a server says on each of its connections when it stops. */
function farewell(): Buffer {
  const fields = [
    'SFATAL',
    'VFATAL',
    'C57P01',
    'Mterminating connection due to administrator command',
  ];
  const body = Buffer.from(`${fields.map((field) => `${field}\0`).join('')}\0`);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(4 + body.length);
  return Buffer.concat([Buffer.from('E'), length, body]);
}

/**
 * A line to PostgreSQL that can say goodbye on new connections, in the packet in which they become ready, as a server
 * does that stops at this moment.
 */
export class FarewellLine {
  /** On how many of the next connections it says goodbye. */
  left = 0;
  /** On how many it has. */
  said = 0;
  private readonly pairs = new Set<readonly [Socket, Socket]>();

  private constructor(readonly port: number) {}

  static async to(target: number): Promise<FarewellLine> {
    const server = createServer((near) => line.join(near, connect(target, '127.0.0.1')));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const line = new FarewellLine((server.address() as AddressInfo).port);
    later(async () => {
      server.close();
      line.cut();
      await Promise.resolve();
    });
    return line;
  }

  /** Closes all connections. */
  cut(): void {
    for (const [near, far] of this.pairs) {
      near.destroy();
      far.destroy();
    }
  }

  private join(near: Socket, far: Socket): void {
    const pair = [near, far] as const;
    this.pairs.add(pair);
    let isReady = false;
    near.on('data', (bytes: Buffer) => void far.write(bytes));
    far.on('data', (bytes: Buffer) => {
      const isFirst: boolean = !isReady && bytes.subarray(-READY.length).equals(READY);
      isReady ||= isFirst;
      if (!isFirst || this.left === 0) return void near.write(bytes);
      this.left -= 1;
      this.said += 1;
      near.end(Buffer.concat([bytes, farewell()]));
      far.destroy();
    });
    for (const [socket, other] of [pair, [far, near] as const]) {
      socket.on('error', () => undefined);
      socket.on('end', () => other.end());
      socket.on('close', () => this.pairs.delete(pair));
    }
  }
}
