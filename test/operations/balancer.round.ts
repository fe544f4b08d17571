import { expect, test } from '@jest/globals';
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { SLOW_ANSWER } from '../../src/platform/kernel/sandbox-postcodes.js';
import { later } from '../support/closing.js';
import { Http } from '../support/http.js';
import { freePort } from '../support/postgres.js';
import { balanceAsShipped } from './balanced.js';
import { isInstalled } from './processes.js';

/**
 * `away`: without its database, the service answers 503 at its deadline, after two seconds. `overloaded`: health checks
 * time out, but other requests are answered.
 */
type Mode = 'healthy' | 'away' | 'frozen' | 'overloaded';

const DEADLINE = 2_000;
/** Until the health checks, one a second, have noticed a change. */
const NOTICED = 2_500;
/** Milliseconds. The promise is three seconds; the rest is for a busy machine. */
const LONGEST = 3_500;

const CHECK = '/product-availability/postcode/EC2A2BS';
const ORDER = '/product-availability/order';
const QUOTE = '/product-availability/quote';
const PDF = 'application/pdf';
const withKey = { headers: { 'Idempotency-Key': 'k' } };
const REQUESTS = 6;

/** Answers as an instance does, as far as a balancer notices. */
class Stub {
  mode: Mode = 'healthy';
  /** Requests that wait `?after=` milliseconds for their answer, or that it refuses because of `?refuse`. */
  readonly asked: string[] = [];

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
    if (this.mode === 'overloaded' && url.startsWith('/health/ready')) return;
    const isAway = this.mode === 'away';
    if (url === '/health/ready/orders') return end(response, isAway ? 503 : 200);
    const { searchParams } = new URL(url, 'http://stub');
    const after = searchParams.get('after');
    const refuse = searchParams.has('refuse');
    if (refuse || after !== null) this.asked.push(url);
    if (refuse) return end(response, 503);
    if (after !== null) {
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

/** Posts a body with a key, and without its length. */
async function stream(port: number, path: string): Promise<{ status: number | undefined }> {
  const headers = { ...withKey.headers, 'Transfer-Encoding': 'chunked' };
  const request = http.request({ port, method: 'POST', path, headers }).end('x'.repeat(20_000));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  return { status: response.statusCode };
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
    'order with a key': () => client.post(ORDER, {}, withKey),
    'acceptance with a key': () => client.post(`${QUOTE}/1/acceptance`, {}, withKey),
    'order that accepts PDF': () => client.post(ORDER, {}, { headers: { Accept: PDF } }),
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
  expect(Object.values(await all()).flat()).toEqual(Object.keys(kinds).map(() => 200));
  for (const mode of ['frozen', 'away'] as const) {
    await change([mode, 'healthy', 'healthy']);
    const one = await all();
    // What another instance can repeat costs nothing.
    expect(one).toMatchObject({
      ...{ check: [200], list: [200], 'order with a key': [200], 'acceptance with a key': [200] },
    });
    await change(['healthy'], NOTICED);
  }
  await change(['away']);
  expect(await all()).toMatchObject({ check: [200] });
  await wait(NOTICED);
  const { check, ...rest } = await all();
  expect([check, ...Object.values(rest)]).toEqual([[200], ...Object.keys(rest).map(() => [503])]);
  await change(['healthy'], NOTICED);
  await change(['frozen']);
  await all();
  await wait(NOTICED);
  expect((await all()).check).toEqual([504]);
});

test('the shipped balancer sends requests to instances whose health checks time out all together', async () => {
  const { stubs, client } = await balancedStubs();
  const answers = async () => {
    const replies = [client.get(CHECK), client.get(ORDER), client.post(ORDER, {}, withKey)];
    return (await Promise.all(replies)).map(({ status }) => status);
  };
  const mark = (mode: Mode) => stubs.forEach((stub) => (stub.mode = mode));
  mark('overloaded');
  await wait(NOTICED);
  expect(await answers()).toEqual([200, 200, 200]);
  mark('healthy');
  await wait(NOTICED);
  expect(await answers()).toEqual([200, 200, 200]);
});

test('the shipped balancer waits for slow answers, and asks for each once', async () => {
  const { stubs, client } = await balancedStubs('2500ms');
  const form = { 'Content-Type': 'multipart/form-data; boundary=x' };
  const sent = {
    'slow check of the sandbox': () => client.get(`${CHECK}?after=${SLOW_ANSWER}`),
    quote: () => client.get(`${QUOTE}/1?after=2200`, { headers: { Accept: PDF } }),
    proposal: () => client.get(`${QUOTE}/1/proposal?after=4000`),
    'large quote with a key': () => client.post(`${QUOTE}?after=1900`, 'x'.repeat(20_000), withKey),
    'quote of an unknown length': () => stream(client.port, `${QUOTE}?after=1900`),
    'quote of many sites': () => client.post(`${QUOTE}?after=4500`, 'x'.repeat(20_000), withKey),
    import: () => client.post('/catalogue/versions?after=4000', {}, { headers: form }),
    'import on a page': () =>
      client.post('/staff/catalogue/import?after=4000', {}, { headers: form }),
  };
  const statuses = await Promise.all(
    Object.entries(sent).map(async ([what, send]) => [what, (await send()).status]),
  );
  expect(statuses).toEqual(Object.keys(sent).map((what) => [what, 200]));
  expect(stubs.flatMap(({ asked }) => asked)).toHaveLength(statuses.length);
});

test('the shipped balancer asks twice only for what is not done twice', async () => {
  const { stubs, client } = await balancedStubs();
  const post = (path: string) => () => client.post(`${path}?refuse`, {}, withKey);
  const kinds = {
    list: [2, () => client.get(`${ORDER}?refuse`)],
    order: [2, post(ORDER)],
    enquiry: [2, post('/product-availability/enquiry')],
    'acceptance of an offer': [2, post('/product-availability/enquiry/1/acceptance')],
    quote: [2, post(QUOTE)],
    'acceptance of a quote': [2, post(`${QUOTE}/1/acceptance`)],
    'enquiry of a quote': [2, post(`${QUOTE}/1/enquiry`)],
    'order without a key': [1, () => client.post(`${ORDER}?refuse`, {})],
    'quote of an unknown length': [1, () => stream(client.port, `${QUOTE}?refuse`)],
    copy: [1, post(`${QUOTE}/1/copy`)],
    'move of a test order': [1, post('/product-availability/test/order/1/advance')],
    'next order': [1, post('/follow-up/take-next')],
    note: [1, post('/follow-up/orders/1/moves')],
  } as const;
  for (const [what, [times, send]] of Object.entries(kinds)) {
    const { status } = await send();
    const asked = stubs.flatMap((stub) => stub.asked.splice(0)).length;
    expect([what, status, asked]).toEqual([what, 503, times]);
  }
});
