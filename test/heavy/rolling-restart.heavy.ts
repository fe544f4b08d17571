import { expect, test } from '@jest/globals';
import http from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { later } from '../support/closing.js';
import { newDatabase } from '../support/databases.js';
import { startService } from '../support/service.js';
import { Instance, isInstalled, runWithFile } from './processes.js';

const ROUNDS = Number(process.env.ROUNDS ?? 20);
const PER_SECOND = 200;
const BALANCER = 41_520;
const PORTS = [41_521, 41_522, 41_523];

const haproxy = `
defaults
  mode http
  timeout connect 2s
  timeout client 30s
  timeout server 30s
  timeout check 2s
  retries 0
frontend in
  bind 127.0.0.1:${BALANCER}
  default_backend instances
backend instances
  option httpchk GET /health/ready
  default-server check inter 300ms fall 1 rise 1
${PORTS.map((port, i) => `  server i${i} 127.0.0.1:${port}`).join('\n')}
`;

/** Sends at a steady rate, whether answers come or not; every answer that is no success is kept. */
class Load {
  readonly failures: string[] = [];
  answered = 0;
  private sent = 0;
  private running = true;
  private readonly agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

  constructor(private readonly token: string) {}

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
    const body = isOrder ? '{"postcode":"EC2A 2BS","productCode":"INT-1G-12"}' : undefined;
    const request = http.request(
      {
        agent: this.agent,
        port: BALANCER,
        method: isOrder ? 'POST' : 'GET',
        path: isOrder ? '/product-availability/order' : '/product-availability/postcode/EC2A2BS',
        headers: {
          Authorization: `Bearer ${this.token}`,
          ...(body && { 'Content-Type': 'application/json', 'Content-Length': body.length }),
        },
      },
      (response) => {
        response.resume().on('end', () => {
          if ((response.statusCode ?? 0) < 300) this.answered += 1;
          else {
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

test(`three instances restarted in turn under ${PER_SECOND} requests a second, ${ROUNDS} times: no failed request`, async () => {
  if (!isInstalled('haproxy')) throw new Error('haproxy is needed: apt-get install haproxy');
  const database = await newDatabase('postgres');
  const seed = await startService('postgres', { database });
  await seed.given.catalogue();
  const token = await seed.given.token();
  const environment = {
    DATABASE_URL: database.databaseUrl!,
    RATE_LIMITS: 'off',
    DRAIN_SECONDS: '2',
    LOG_LEVEL: 'warn',
  };
  const instances = PORTS.map((port) => new Instance(port, environment));
  await Promise.all(instances.map((instance) => instance.start()));
  await runWithFile('haproxy', (file) => ['-f', file, '-db'], haproxy, BALANCER);
  await wait(1_000);
  const load = new Load(token);
  const running = load.run();
  later(() => load.stop());
  const codes = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const instance of instances) {
      codes.push(await instance.stop());
      await instance.start();
      // The balancer looks every 300 ms; on a busy machine its look takes a while.
      await wait(1_500);
    }
  }
  await load.stop();
  await running;
  process.stdout.write(
    `${codes.length} restarts, ${load.answered} answered, ${load.failures.length} failed\n`,
  );
  expect([load.failures, new Set(codes)]).toEqual([[], new Set([0])]);
});
