import { readFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../support/postgres.js';
import { runWithFile } from './processes.js';

export const PER_SECOND = Number(process.env.PER_SECOND ?? 200);

/** Starts haproxy in front of instances at these ports. */
export async function balance(port: number, ports: readonly number[]): Promise<void> {
  const configuration = `
defaults
  mode http
  timeout connect 2s
  timeout client 30s
  timeout server 30s
  timeout check 2s
  retries 0
frontend in
  bind 127.0.0.1:${port}
  default_backend instances
backend instances
  option httpchk GET /health/ready
  default-server check inter 300ms fall 1 rise 1
${ports.map((its, i) => `  server i${i} 127.0.0.1:${its}`).join('\n')}
`;
  await runWithFile('haproxy', (file) => ['-f', file, '-db'], configuration, port);
}

/**
 * `deploy/haproxy/haproxy.cfg` with other addresses, without TLS, and with these instances.
 * @param idle in place of its 30 seconds without a byte
 */
export async function balanceAsShipped(
  port: number,
  ports: readonly number[],
  idle = '30s',
): Promise<void> {
  const configuration = readFileSync('deploy/haproxy/haproxy.cfg', 'utf8')
    .replace(/bind :443 ssl crt \S+/, `bind 127.0.0.1:${port}`)
    .replace('bind :80\n', `bind 127.0.0.1:${await freePort()}\n`)
    .replace('bind :8405\n', `bind 127.0.0.1:${await freePort()}\n`)
    .replaceAll(/timeout (client|server) 30s/g, `timeout $1 ${idle}`)
    // Not more than the files that a user may open.
    .replace('maxconn 20000', 'maxconn 1000')
    .replaceAll(
      /10\.0\.0\.1(\d):3000/g,
      (_, n: string) => `127.0.0.1:${ports[(Number(n) - 1) % ports.length]}`,
    );
  await runWithFile('haproxy', (file) => ['-f', file, '-db'], configuration, port);
}

/** Sends at a steady rate, without waiting for responses. Keeps every response that is not a success. */
export class Load {
  readonly failures: string[] = [];
  readonly prefix = `balanced-${process.pid}-`;
  /** References of orders that were answered with a success. */
  readonly acknowledged: string[] = [];
  answered = 0;
  private sent = 0;
  private running = true;
  private readonly agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

  constructor(
    private readonly port: number,
    private readonly token: string,
  ) {}

  async run(): Promise<void> {
    const started = performance.now();
    while (this.running) {
      const due = Math.floor(((performance.now() - started) / 1_000) * PER_SECOND);
      for (; this.sent < due; this.sent += 1) this.send(this.sent % 20 === 0);
      await wait(5);
    }
  }

  async stop(): Promise<void> {
    this.running = false;
    for (let i = 0; i < 200 && this.answered + this.failures.length < this.sent; i += 1) {
      await wait(50);
    }
    this.agent.destroy();
  }

  private send(isOrder: boolean): void {
    const reference = this.prefix + this.sent;
    const order = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12', reference };
    const body = isOrder ? JSON.stringify(order) : undefined;
    const request = http.request(
      {
        agent: this.agent,
        port: this.port,
        method: isOrder ? 'POST' : 'GET',
        path: isOrder ? '/product-availability/order' : '/product-availability/postcode/EC2A2BS',
        headers: {
          Authorization: `Bearer ${this.token}`,
          ...(body && {
            'Content-Type': 'application/json',
            'Content-Length': body.length,
            'Idempotency-Key': reference,
          }),
        },
      },
      (response) => {
        response.resume().on('end', () => {
          if ((response.statusCode ?? 0) < 300) {
            this.answered += 1;
            if (isOrder) this.acknowledged.push(reference);
          } else {
            const by = response.headers['x-request-id'] ? 'an instance' : 'the balancer';
            this.failures.push(`${isOrder ? 'order' : 'look-up'}: ${response.statusCode} by ${by}`);
          }
        });
      },
    );
    request.on('error', (error) => this.failures.push(String(error)));
    request.end(body);
  }
}
