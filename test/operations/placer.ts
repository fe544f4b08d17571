import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/** Milliseconds between two orders of a client, and between two attempts. */
const PAUSE = 20;

/** Clients that place orders one after the other. Each is sent with its key until it is acknowledged. */
export class Placer {
  readonly prefix = `placed-${randomUUID().slice(0, 8)}-`;
  /** References of orders that were answered 201. */
  readonly acknowledged: string[] = [];
  /** Attempts that failed, by status or error. */
  readonly failed: Record<string, number> = {};
  private longest = 0;
  private running = true;
  private placed = 0;
  private readonly agent = new http.Agent({ keepAlive: true });
  private clients: Promise<unknown> | undefined;

  constructor(
    private readonly port: number,
    private readonly token: string,
  ) {}

  run(clients: number): Promise<unknown> {
    this.clients = Promise.all(Array.from({ length: clients }, () => this.client()));
    return this.clients;
  }

  async stop(): Promise<void> {
    this.running = false;
    await this.clients;
    this.agent.destroy();
  }

  /** Milliseconds until the slowest order since the last call was acknowledged, with its repetitions. */
  takeLongestWait(): number {
    const { longest } = this;
    this.longest = 0;
    return Math.round(longest);
  }

  private async client(): Promise<void> {
    while (this.running) {
      const reference = this.prefix + (this.placed += 1);
      const started = performance.now();
      while ((await this.send(reference)) !== '201') await wait(PAUSE);
      this.longest = Math.max(this.longest, performance.now() - started);
      this.acknowledged.push(reference);
      await wait(PAUSE);
    }
  }

  private async send(reference: string): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    const body = JSON.stringify({ postcode: 'EC2A 2BS', productCode: 'INT-1G-12', reference });
    http
      .request(
        {
          agent: this.agent,
          port: this.port,
          host: '127.0.0.1',
          method: 'POST',
          path: '/product-availability/order',
          headers: {
            Authorization: `Bearer ${this.token}`,
            'Content-Type': 'application/json',
            'Content-Length': body.length,
            'Idempotency-Key': reference,
          },
        },
        (response) => response.resume().on('end', () => resolve(String(response.statusCode))),
      )
      .on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      .end(body);
    const outcome = await promise;
    if (outcome !== '201') this.failed[outcome] = (this.failed[outcome] ?? 0) + 1;
    return outcome;
  }
}
