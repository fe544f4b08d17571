import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { recordMessage } from './answers.js';
import { later } from './closing.js';

export interface ReceivedHook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Answer = (response: ServerResponse, hook: ReceivedHook) => void;

/** A receiver that stores webhooks. By default it answers 204. */
export class WebhookReceiver {
  readonly hooks: ReceivedHook[] = [];
  connections = 0;
  answer: Answer = (response) => response.writeHead(204).end();

  private constructor(
    readonly port: number,
    private readonly protocol: string,
  ) {}

  get url(): string {
    return `${this.protocol}://127.0.0.1:${this.port}/hook`;
  }

  /** @param tls certificate and key; without it, plain HTTP */
  static async start(tls?: { cert: string; key: string }): Promise<WebhookReceiver> {
    const box: { receiver?: WebhookReceiver } = {};
    const server = tls ? createTlsServer(tls) : createServer();
    server.on('request', (request, response) => {
      void text(request).then((body) => {
        const hook = { path: request.url ?? '', headers: request.headers, body };
        box.receiver?.hooks.push(hook);
        // Tests of the transport post other bodies, unsigned.
        if (request.headers['webhook-id'] !== undefined) recordMessage(hook);
        box.receiver?.answer(response, hook);
      });
    });
    server.on('connection', () => {
      if (box.receiver) box.receiver.connections += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    later(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const { port } = server.address() as AddressInfo;
    box.receiver = new WebhookReceiver(port, tls ? 'https' : 'http');
    return box.receiver;
  }
}
