import { expect, test } from '@jest/globals';
import http, { type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { SLOW_ANSWER } from '../../src/platform/kernel/sandbox-postcodes.js';
import { later } from '../support/closing.js';
import { Http } from '../support/http.js';
import { freePort } from '../support/postgres.js';
import { balanceAsShipped } from './balanced.js';
import { isInstalled } from './processes.js';

/** `away`: without its database, the service answers 503 at its deadline, after two seconds. */
type Mode = 'healthy' | 'away' | 'frozen';

const DEADLINE = 2_000;
/** Until the health checks, one a second, have noticed a change. */
const NOTICED = 2_500;
/** Milliseconds. The promise is three seconds; the rest is for a busy machine. */
const LONGEST = 3_500;

const CHECK = '/product-availability/postcode/EC2A2BS';
const ORDER = '/product-availability/order';
const QUOTE = '/product-availability/quote';
const REQUESTS = 6;

/** Answers as an instance does, as far as a balancer notices. */
class Stub {
  mode: Mode = 'healthy';
  /** The requests that wait `?after=` milliseconds for their answer. */
  readonly slow: string[] = [];

  static async start(): Promise<Stub & { port: number }> {
    const stub = new Stub();
    const server: Server = http.createServer(({ url }, response) => stub.answer(url!, response));
    const port = await freePort();
    await once(server.listen(port, '127.0.0.1'), 'listening');
    later(() => Promise.resolve(server.closeAllConnections()));
    later(() => Promise.resolve(server.close()));
    return Object.assign(stub, { port });
  }

  private answer(url: string, response: ServerResponse): void {
    if (this.mode === 'frozen') return;
    const isAway = this.mode === 'away';
    if (url === '/health/ready/orders') return end(response, isAway ? 503 : 200);
    const after = new URL(url, 'http://stub').searchParams.get('after');
    if (after !== null) {
      this.slow.push(url);
      setTimeout(() => end(response, 200), Number(after));
      return;
    }
    if (url === '/health/ready' || url === CHECK || !isAway) return end(response, 200);
    setTimeout(() => end(response, 503), DEADLINE);
  }
}

function end(response: ServerResponse, status: number): void {
  const retry = status === 503 ? { 'Retry-After': '1' } : {};
  response.writeHead(status, { 'Content-Type': 'application/json', ...retry }).end('{}');
}

async function balancedStubs(idle?: string) {
  if (!isInstalled('haproxy')) throw new Error('haproxy is needed: apt-get install haproxy');
  const stubs = [await Stub.start(), await Stub.start(), await Stub.start()];
  const port = await freePort();
  const ports = stubs.map((stub) => stub.port);
  await balanceAsShipped(port, ports, idle);
  const client = new Http(port);
  later(() => Promise.resolve(client.close()));
  return { stubs, client };
}

test('the shipped balancer answers every request within three seconds', async () => {
  const { stubs, client } = await balancedStubs();

  const kinds = {
    check: () => client.get(CHECK),
    list: () => client.get(ORDER),
    'order with a key': () => client.post(ORDER, {}, { headers: { 'Idempotency-Key': 'k' } }),
    'order without a key': () => client.post(ORDER, {}),
  };
  const answers = async (kind: keyof typeof kinds) => {
    const statuses = await Promise.all(
      Array.from({ length: REQUESTS }, async () => {
        const start = performance.now();
        const { status, headers } = await kinds[kind]();
        expect(performance.now() - start).toBeLessThan(LONGEST);
        if (status !== 200) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
        return status;
      }),
    );
    return [...new Set(statuses)].sort();
  };
  const all = async () => {
    const statuses = await Promise.all(
      Object.keys(kinds).map(async (kind) => [kind, await answers(kind as keyof typeof kinds)]),
    );
    return Object.fromEntries(statuses) as Record<keyof typeof kinds, number[]>;
  };
  const change = async (modes: readonly Mode[], pause = 0) => {
    stubs.forEach((stub, i) => (stub.mode = modes[i % modes.length]!));
    await wait(pause);
  };

  await change(['healthy'], NOTICED);
  expect(await all()).toEqual({
    ...{ check: [200], list: [200], 'order with a key': [200], 'order without a key': [200] },
  });
  for (const mode of ['frozen', 'away'] as const) {
    await change([mode, 'healthy', 'healthy']);
    const one = await all();
    // What another instance can repeat costs nothing.
    expect(one).toMatchObject({ check: [200], list: [200], 'order with a key': [200] });
    await change(['healthy'], NOTICED);
  }
  await change(['away']);
  expect(await all()).toMatchObject({ check: [200] });
  await wait(NOTICED);
  expect(await all()).toEqual({
    ...{ check: [200], list: [503], 'order with a key': [503], 'order without a key': [503] },
  });
  await change(['healthy'], NOTICED);
  await change(['frozen']);
  await all();
  await wait(NOTICED);
  expect((await all()).check).toEqual([503]);
});

test('the shipped balancer waits for slow answers, and asks for each once', async () => {
  const { stubs, client } = await balancedStubs('2500ms');
  const form = { 'Content-Type': 'multipart/form-data; boundary=x' };
  const sent = {
    'slow check of the sandbox': () => client.get(`${CHECK}?after=${SLOW_ANSWER}`),
    quote: () => client.get(`${QUOTE}/1?after=2200`, { headers: { Accept: 'application/pdf' } }),
    proposal: () => client.get(`${QUOTE}/1/proposal?after=4000`),
    'large quote with a key': () =>
      client.post(`${QUOTE}?after=1900`, 'x'.repeat(20_000), {
        headers: { 'Idempotency-Key': 'k' },
      }),
    import: () => client.post('/catalogue/versions?after=4000', {}, { headers: form }),
    'import on a page': () =>
      client.post('/staff/catalogue/import?after=4000', {}, { headers: form }),
  };
  const statuses = await Promise.all(
    Object.entries(sent).map(async ([what, send]) => [what, (await send()).status]),
  );
  expect(statuses).toEqual(Object.keys(sent).map((what) => [what, 200]));
  expect(stubs.flatMap(({ slow }) => slow)).toHaveLength(statuses.length);
});
