import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Received {
  readonly path: string;
  readonly body: { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
}

/** The webhooks of all clients, each at its own path. */
export class Receiver {
  /** By the id of the message, which a repetition has, too. */
  readonly messages = new Map<string, Received>();
  /** Whether it answers 500, sometimes after it has kept the message. */
  failing: 'no' | 'before' | 'after' = 'no';
  private readonly server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      const id = String(request.headers['webhook-id']);
      const received = { path: request.url ?? '', body: JSON.parse(body) as Received['body'] };
      if (this.failing !== 'before') this.messages.set(id, received);
      response.writeHead(this.failing === 'no' ? 204 : 500).end();
    });
  });

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  urlOf(path: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
