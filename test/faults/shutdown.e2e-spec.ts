import { beforeAll, describe, expect, it, test } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AvailabilityResult } from '../../src/availability/availability.dto.js';
import { CheckRow } from '../../src/availability/check.entity.js';
import type { Me } from '../../src/clients/me.dto.js';
import type { OrderAcknowledgement } from '../../src/orders/record/orders.dto.js';
import { later, newFolder } from '../support/closing.js';
import { environmentOf, newDatabase, openDataSource } from '../support/databases.js';
import { FakeClock } from '../support/fake-clock.js';
import { Http } from '../support/http.js';
import { nodeOptions, outcomeOf, type Settings, start } from '../support/processes.js';
import { freePort } from '../support/postgres.js';
import { onBothEngines, ruleOn, startService } from '../support/service.js';

const settings = {
  NODE_ENV: 'production',
  DRAIN_SECONDS: '0',
  OPS_PORT: 'off',
  PUBLIC_URL: 'https://api.example.net',
  SALES_CONTACT: 'sales@example.net',
  HOST: '127.0.0.1',
  PORT: '0',
};

/** The service cuts what is open after 20 s, and keeps idle connections longer: a faster stop has not waited. */
const SOON = 15_000;

/** The service in a separate process, once it listens. */
async function startMain(more: Settings) {
  const child = start('dist/src/main.js', { ...settings, ...more });
  later(() => Promise.resolve(child.kill('SIGKILL')));
  const ended = outcomeOf(child);
  const port = await new Promise<number>((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (text: Buffer) => {
      said += text.toString();
      const [, found] = /Listening on 127\.0\.0\.1:(\d+)/.exec(said) ?? [];
      if (found) resolve(Number(found));
    });
    ended.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
  const http = new Http(port);
  later(() => Promise.resolve(http.close()));

  /** The exit code, and whether the process ended soon. */
  async function stop(signal: NodeJS.Signals) {
    const asked = performance.now();
    child.kill(signal);
    const { code } = await ended;
    return { code, soon: performance.now() - asked < SOON };
  }

  return { http, port, stop };
}

onBothEngines('a stop', (engine) => {
  const rule = ruleOn(engine);
  let more: Settings;
  let token: string;
  let testToken: string;

  beforeAll(async () => {
    const database = await newDatabase(engine);
    more = environmentOf(database);
    const service = await startService(engine, { database, clock: new FakeClock(new Date()) });
    await service.given.catalogue();
    token = await service.given.token();
    testToken = await service.given.token({ kind: 'test' });
    await service.close();
  });

  rule('waits for a slow response of the sandbox', async () => {
    const { http, stop } = await startMain(more);
    const own = <T>(path: string) =>
      http.get<T>(`/product-availability/${path}`, { token: testToken });
    const running = async () => (await own<Me>('me')).body.limits!.inFlight.running;
    // The first answer of a process takes longer.
    expect(await running()).toBe(1);
    let isAnswered = false;
    const slow = own<AvailabilityResult>('postcode/ZZ991AE').finally(() => (isAnswered = true));
    while ((await running()) < 2) {
      if (isAnswered)
        throw new Error('The slow request was answered before it was seen in flight.');
      await sleep(10);
    }
    const stopped = stop('SIGTERM');
    const { status, body } = await slow;
    const answered = performance.now();
    const { code } = await stopped;
    expect([status, body.availableProducts.length, code]).toEqual([200, 3, 0]);
    expect(performance.now() - answered).toBeLessThan(SOON);
    const next = await startMain(more);
    const again = `/product-availability/check/${body.id}`;
    expect((await next.http.get(again, { token: testToken })).body).toEqual(body);
    await next.stop('SIGTERM');
  });

  it('closes idle connections, answers started requests and loses nothing', async () => {
    const first = await startMain(more);
    const connection = async () => {
      const socket = connect(first.port, '127.0.0.1').setEncoding('utf8');
      later(() => Promise.resolve(socket.destroy()));
      await once(socket, 'connect');
      return socket;
    };
    const nextText = async (socket: Socket) => String((await once(socket, 'data'))[0]);
    const order = JSON.stringify({ postcode: 'EC2A 2BS', productCode: 'INT-1G-12' });
    const authorization = `Host: localhost\r\nAuthorization: Bearer ${token}`;

    const earlier = await first.http.get<AvailabilityResult>(checkPath, { token }); // now idle
    await connection(); // silent

    const checking = await connection();
    checking.write(`GET ${checkPath} HTTP/1.1\r\n`);
    const ordering = await connection();
    ordering.write(
      `POST /product-availability/order HTTP/1.1\r\n${authorization}\r\nContent-Type: application/json\r\nContent-Length: ${order.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    expect(await nextText(ordering)).toBe('HTTP/1.1 100 Continue\r\n\r\n');

    const stopped = first.stop('SIGTERM');
    const answers = [nextText(checking), nextText(ordering)];
    checking.write(`${authorization}\r\n\r\n`);
    ordering.write(order);
    const [checked, ordered] = await Promise.all(answers);
    expect([statusOf(checked), statusOf(ordered)]).toEqual([200, 201]);
    expect(await stopped).toEqual({ code: 0, soon: true });

    const second = await startMain(more);
    const { id } = bodyOf<AvailabilityResult>(checked);
    const { orderId } = bodyOf<OrderAcknowledgement>(ordered);
    const paths = [`check/${earlier.body.id}`, `check/${id}`, `order/${orderId}`];
    for (const path of paths) {
      const { status } = await second.http.get(`/product-availability/${path}`, { token });
      expect([path, status]).toEqual([path, 200]);
    }
    expect(await second.stop('SIGINT')).toEqual({ code: 0, soon: true });
  });

  rule('ends at once after a second signal', async () => {
    const database = await newDatabase(engine);
    const main = await startMain({ ...environmentOf(database), DRAIN_SECONDS: '60' });
    void main.stop('SIGTERM');
    // During the drain delay the service still answers.
    while ((await main.http.get<{ draining: boolean }>('/health/ready')).body.draining === false);
    const { headers } = await main.http.get('/health/live');
    expect(headers.connection).toBe('close');
    expect(await main.stop('SIGINT')).toEqual({ code: 128 + 2, soon: true });
  });

  it('writes the buffered records of checks', async () => {
    const database = await newDatabase(engine);
    const service = await startService(engine, { database });
    await service.given.catalogue();
    const waiting = { token: await service.given.token() };
    await Promise.all(Array.from({ length: 20 }, () => service.http.get(checkPath, waiting)));
    await service.close();
    const dataSource = await openDataSource(database);
    expect(await dataSource.getRepository(CheckRow).count()).toBe(20);
  });
});

const checkPath = '/product-availability/postcode/EC2A2BS';

const statusOf = (answer = '') => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);

const bodyOf = <T>(answer = '') => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as T;

test('a stop leaves the embedded database complete in one file', async () => {
  const database = await newDatabase('sqlite');
  const main = await startMain(environmentOf(database));
  expect(existsSync(`${database.sqliteFile}-wal`)).toBe(true);
  expect((await main.stop('SIGTERM')).code).toBe(0);
  expect(existsSync(`${database.sqliteFile}-wal`)).toBe(false);
});

describe('a stop while the reader of the log is stuck', () => {
  /** More bytes of log than a socket or a pipe holds. */
  const REQUESTS = 4_000;

  /** The writing end of a pipe that no one reads. */
  const unreadPipe = async () => {
    const path = join(await newFolder(), 'pipe');
    execFileSync('mkfifo', [path]);
    const ends = [constants.O_RDONLY | constants.O_NONBLOCK, constants.O_WRONLY].map((flags) =>
      openSync(path, flags),
    );
    later(() => Promise.resolve(ends.forEach((end) => closeSync(end))));
    return ends[1]!;
  };

  it.each([
    ['socket', () => Promise.resolve('pipe' as const)],
    ['pipe', unreadPipe],
  ])('ends the process in time, on a %s', async (_what, output) => {
    const port = await freePort();
    const database = environmentOf(await newDatabase('sqlite'));
    const child = spawn(process.execPath, [...nodeOptions, 'dist/src/main.js'], {
      env: { PATH: process.env.PATH, ...settings, ...database, PORT: String(port) },
      stdio: ['ignore', await output(), 'ignore'],
    });
    later(() => Promise.resolve(child.kill('SIGKILL')));
    const http = new Http(port);
    later(() => Promise.resolve(http.close()));
    const isLive = () =>
      http.get('/health/live').then(
        () => true,
        () => false,
      );
    while (!(await isLive())) await sleep(50);
    for (let sent = 0; sent < REQUESTS; sent += 50) {
      await Promise.all(Array.from({ length: 50 }, () => http.get('/health/live')));
    }
    const ended = once(child, 'exit');
    const asked = performance.now();
    child.kill('SIGTERM');
    await ended;
    expect(performance.now() - asked).toBeLessThan(SOON);
  });
});

describe('a start', () => {
  it('with wrong settings fails and lists all of them', async () => {
    const wrong = { ...settings, PUBLIC_URL: '', PORT: 'x', ALLOW_INSECURE: 'maybe' };
    const { code, stderr } = await outcomeOf(start('dist/src/main.js', wrong));
    const [heading, ...faults] = stderr.trim().split('\n');
    expect([code, heading]).toEqual([1, 'The configuration is wrong:']);
    expect(faults.map((fault) => fault.trim().split(' ')[0])).toEqual([
      'PORT',
      'PUBLIC_URL',
      'ALLOW_INSECURE',
    ]);
  });

  it('fails if the port is taken', async () => {
    const service = await startService('sqlite');
    const taken = {
      ...settings,
      ...environmentOf(await newDatabase('sqlite')),
      PORT: String(service.http.port),
    };
    const { code, stderr } = await outcomeOf(start('dist/src/main.js', taken));
    expect([code, stderr]).toEqual([1, expect.stringContaining('EADDRINUSE')]);
  });
});
